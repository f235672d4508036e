-- Write down what was taken in for a sender who waits, and stands in memory alone (see submit.lua); nothing of it changes.
-- KEYS commands ids ready
-- ARGV field game, then entry and field of each command that is known to wait (a field is '' for what no release has written)
-- Answers what else waits, entry and document of each, and then has written nothing: whatever stands in the stream is
-- written down with its id, or it would be taken in once more when its sender sends it again.
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
-- A stream takes no entry that is older than its last one: all of them are written anew, those on disk as well.
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
