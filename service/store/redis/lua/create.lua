-- Create a game with its lobby.
-- KEYS `meta lobbies`, and for a public game the lists it is in
-- ARGV game made, then fields and values
-- Returns 1, or 0 if it exists.
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
local time = redis.call('TIME')
if redis.call('HGET', KEYS[1], 'status') == 'lobby' then
  redis.call('ZADD', KEYS[2], time[1] * 1000 + math.floor(time[2] / 1000), ARGV[1])
end
for place = 3, #KEYS do redis.call('ZADD', KEYS[place], ARGV[2], ARGV[1]) end
return 1
