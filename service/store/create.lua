-- A new game in its lobby.
-- KEYS meta, and for a public game the lists it is in
-- ARGV game made, then fields and values
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
for place = 2, #KEYS do redis.call('ZADD', KEYS[place], ARGV[2], ARGV[1]) end
return 1
