-- The outcomes of the commands of a list, at one moment.
-- KEYS `meta commits ids`
-- ARGV the list's field, then that of each command that a list may have
-- Returns false if there is no such list, or for each of its commands 'pending', 'over', 'left', or {seq, the packed
-- commit (empty if it is gone)}.
local meta, commits, ids = unpack(KEYS)
local count = tonumber(string.match(string.sub(redis.call('HGET', ids, ARGV[1]) or '', 9), '^n(%d+)$'))
if not count then return false end
local waits = redis.call('HGET', meta, 'status') == 'over' and 'over' or 'pending'
local found, rest = {}, 'left'
for place = 1, count do
  local known = redis.call('HGET', ids, ARGV[place + 1])
  if not known then
    found[place] = rest
  elseif known == 'p' then
    -- Later ones have not been submitted yet.
    rest = waits
    found[place] = waits
  else
    local entry = redis.call('XRANGE', commits, known, known)[1]
    found[place] = {tonumber(known), entry and entry[2][2] or ''}
  end
end
return found
