-- Make a submission durable that was accepted for a waiting client and is only in memory (see submit.lua). Changes
-- nothing.
-- KEYS `commands ids ready`
-- ARGV field game, then entry and field of each command known to wait (the field is '' for an entry that no release
--      wrote)
-- Returns entry and document of each other entry, and then has written nothing: every entry of the stream must be
-- written with its id, or it would be accepted twice when its client sends it again.
local commands, ids, ready = unpack(KEYS)
local known = redis.call('HGET', ids, ARGV[1])
if not known or string.sub(known, -1) ~= 'p' then return {} end
local fields, unknown = {}, {}
for place = 3, #ARGV, 2 do fields[ARGV[place]] = ARGV[place + 1] end
local entries = redis.call('XRANGE', commands, '-', '+')
for _, entry in ipairs(entries) do
  if not fields[entry[1]] then
    unknown[#unknown + 1] = entry[1]
    unknown[#unknown + 1] = entry[2]
  end
end
if #unknown > 0 then return unknown end
redis.call('HSET', ids, ARGV[1], known)
-- A stream accepts no entry that is older than its last one: write all of them again, including those on disk.
redis.call('DEL', commands)
for _, entry in ipairs(entries) do
  local field = fields[entry[1]]
  local came = field ~= '' and redis.call('HGET', ids, field)
  if came then redis.call('HSET', ids, field, came) end
  redis.call('XADD', commands, entry[1], unpack(entry[2]))
end
local since = redis.call('ZSCORE', ready, ARGV[2])
if since then
  redis.call('ZREM', ready, ARGV[2])
  redis.call('ZADD', ready, since, ARGV[2])
end
return {}
