-- Write down what was taken in for a sender who waits, and stands in memory alone (see submit.lua); nothing of it changes.
-- KEYS commands ids ready
-- ARGV field game
local commands, ids, ready = unpack(KEYS)
local known = redis.call('HGET', ids, ARGV[1])
if not known or string.sub(known, -1) ~= 'p' then return end
redis.call('HSET', ids, ARGV[1], known)
local entries = redis.call('XRANGE', commands, '-', '+')
-- A stream takes no entry that is older than its last one: all of them are written anew, those on disk as well.
redis.call('DEL', commands)
for _, entry in ipairs(entries) do redis.call('XADD', commands, entry[1], unpack(entry[2])) end
local since = redis.call('ZSCORE', ready, ARGV[2])
if since then
  redis.call('ZREM', ready, ARGV[2])
  redis.call('ZADD', ready, since, ARGV[2])
end
