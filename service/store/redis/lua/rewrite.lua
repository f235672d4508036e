-- Put rows anew, if the log still stands where they are good for.
-- KEYS meta rows
-- ARGV seq, then fields and values
if redis.call('HGET', KEYS[1], 'seq') ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[2], unpack(ARGV, 2))
return 1
