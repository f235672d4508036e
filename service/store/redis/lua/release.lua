-- Give a claimed game up; it is ready again if commands wait, or put aside for a while.
-- KEYS commands ready leases claims holders aside
-- ARGV game later lease ('' where it was never claimed here)
local commands, ready, leases, claims, holders, aside = unpack(KEYS)
local game, later, lease = unpack(ARGV)
local held = redis.call('ZSCORE', leases, game)
-- It lapsed, and somebody else has it now.
if held and lease ~= '' and tonumber(held) ~= tonumber(lease) then return 0 end
redis.call('HDEL', holders, game)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HDEL', claims, game)
-- What is put aside is looked at again whether or not anything waits in it. What is no stream is for whoever does that.
if tonumber(later) == 0 and redis.pcall('XLEN', commands) == 0 then
  redis.call('ZREM', leases, game)
  redis.call('ZREM', ready, game)
  redis.call('SREM', aside, game)
  return 0
end
if tonumber(later) > 0 then
  redis.call('ZREM', ready, game)
  redis.call('ZADD', leases, now + later, game)
  redis.call('HSET', holders, game, redis.call('HINCRBY', holders, '#', 1) .. ' ' .. later .. ' -')
  redis.call('SADD', aside, game)
  return 0
end
redis.call('ZREM', leases, game)
redis.call('SREM', aside, game)
redis.call('ZADD', ready, 'NX', now, game)
return 1
