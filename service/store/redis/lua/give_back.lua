-- Undo a claim that nobody has looked at.
-- KEYS ready leases claims holders
-- ARGV game number
local ready, leases, claims, holders = unpack(KEYS)
if string.match(redis.call('HGET', holders, ARGV[1]) or '', '^%d+') ~= ARGV[2] then return end
redis.call('HDEL', holders, ARGV[1])
local time = redis.call('TIME')
redis.call('ZREM', leases, ARGV[1])
redis.call('ZADD', ready, 'NX', time[1] * 1000 + math.floor(time[2] / 1000), ARGV[1])
if redis.call('HINCRBY', claims, ARGV[1], -1) <= 0 then redis.call('HDEL', claims, ARGV[1]) end
