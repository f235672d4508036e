-- Make games ready that a process held which is known to be dead.
-- KEYS ready leases holders claims
-- ARGV what the names of its holders begin with; then the numbers of its holders
-- Answers how many they were.
local ready, leases, holders, claims = unpack(KEYS)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found, freed = redis.call('ZRANGE', leases, 0, -1, 'WITHSCORES'), 0
local numbers = {}
for place = 2, #ARGV do numbers[tonumber(ARGV[place])] = true end
for place = 1, #found, 2 do
  local game, number = found[place], tonumber(found[place + 1]) % 1 * 1024
  -- A release before this one writes beside each lease who holds it.
  local who = number == 0 and string.match(redis.call('HGET', holders, game) or '', '^%d+ %d+ (.*)$')
  if numbers[number] or (who and string.sub(who, 1, #ARGV[1]) == ARGV[1]) then
    if number > 0 then redis.call('HINCRBY', claims, game, 1) end
    redis.call('HDEL', holders, game)
    redis.call('ZREM', leases, game)
    redis.call('ZADD', ready, 'NX', now, game)
    freed = freed + 1
  end
end
return freed
