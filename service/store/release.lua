-- Give a claimed game up; it is ready again if commands wait, or put aside for a while.
-- KEYS commands ready leases claims
-- ARGV game later
local commands, ready, leases, claims = unpack(KEYS)
local game, later = unpack(ARGV)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HDEL', claims, game)
if redis.call('XLEN', commands) == 0 then
  redis.call('ZREM', leases, game)
  redis.call('ZREM', ready, game)
  return 0
end
if tonumber(later) > 0 then
  redis.call('ZREM', ready, game)
  redis.call('ZADD', leases, now + later, game)
  return 0
end
redis.call('ZREM', leases, game)
redis.call('ZADD', ready, 'NX', now, game)
return 1
