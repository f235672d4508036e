-- Take ready games under a lease. A game that was claimed before without a commit is given out alone:
-- if it fells its worker again, no other game is blamed for it.
-- KEYS ready leases claims holders
-- ARGV limit lease holder
-- Answers a flat list of game, times claimed, the lease's number.
local ready, leases, claims, holders = unpack(KEYS)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local claimed = {}
for place, game in ipairs(redis.call('ZRANGE', ready, 0, ARGV[1] - 1)) do
  local suspect = redis.call('HEXISTS', claims, game) == 1
  if suspect and place > 1 then break end
  redis.call('ZREM', ready, game)
  redis.call('ZADD', leases, now + ARGV[2], game)
  claimed[#claimed + 1] = game
  claimed[#claimed + 1] = redis.call('HINCRBY', claims, game, 1)
  local number = redis.call('HINCRBY', holders, '#', 1)
  redis.call('HSET', holders, game, number .. ' ' .. ARGV[2] .. ' ' .. ARGV[3])
  claimed[#claimed + 1] = number
  if suspect then break end
end
return claimed
