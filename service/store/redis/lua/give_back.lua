-- Undo a claim before any work on the game.
-- KEYS `ready leases holders`
-- ARGV game lease
local ready, leases, holders = unpack(KEYS)
if tonumber(redis.call('ZSCORE', leases, ARGV[1]) or 0) ~= tonumber(ARGV[2]) then return end
local time = redis.call('TIME')
redis.call('ZREM', leases, ARGV[1])
redis.call('HDEL', holders, ARGV[1])
redis.call('ZADD', ready, 'NX', time[1] * 1000 + math.floor(time[2] / 1000), ARGV[1])
