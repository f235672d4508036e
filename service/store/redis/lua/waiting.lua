-- Games of a partition with waiting commands: the longest ready ones and leased ones, without those put off.
-- KEYS `ready leases aside`
-- ARGV maximum number of each
local found = {}
for key = 1, 2 do
  local left = tonumber(ARGV[1])
  for _, game in ipairs(redis.call('ZRANGE', KEYS[key], 0, 99)) do
    if left > 0 and redis.call('SISMEMBER', KEYS[3], game) == 0 then
      found[#found + 1] = game
      left = left - 1
    end
  end
end
return found
