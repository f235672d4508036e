-- Make games ready that a process held which is known to be dead.
-- KEYS ready leases holders
-- ARGV what the names of its holders begin with
-- Answers how many they were.
local ready, leases, holders = unpack(KEYS)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found, freed = redis.call('HGETALL', holders), 0
for place = 1, #found, 2 do
  local who = string.match(found[place + 1], '^%d+ %d+ (.*)$')
  if who and string.sub(who, 1, #ARGV[1]) == ARGV[1] then
    redis.call('HDEL', holders, found[place])
    if redis.call('ZREM', leases, found[place]) == 1 then
      redis.call('ZADD', ready, 'NX', now, found[place])
      freed = freed + 1
    end
  end
end
return freed
