-- Release a claimed game; it is ready again if commands wait, or put off for a while.
-- KEYS `commands ready leases claims holders aside`
-- ARGV game later (milliseconds to put it off, or 0) lease ('' if it was never claimed here)
-- Returns 1 if it is ready again, else 0.
local commands, ready, leases, claims, holders, aside = unpack(KEYS)
local game, later, lease = unpack(ARGV)
local held = redis.call('ZSCORE', leases, game)
-- The lease lapsed, and another process has the game now.
if held and lease ~= '' and tonumber(held) ~= tonumber(lease) then return 0 end
redis.call('HDEL', holders, game)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HDEL', claims, game)
-- A game that is put off is checked again even if no commands wait. A key that is no stream is left to the next worker.
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
