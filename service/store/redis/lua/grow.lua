-- Append to the log of heads, all at once, so that no size ever has two different checkpoints.
-- KEYS `state days`, then bundles, tiles and games in the order of their parts
-- ARGV size (current number of leaves), after, checkpoint, day, then the bytes to append to each of the other keys
-- Returns 1, or 0 if the log has another size.
local state, days = KEYS[1], KEYS[2]
if (redis.call('HGET', state, 'size') or '0') ~= ARGV[1] then return 0 end
for place = 3, #KEYS do redis.call('APPEND', KEYS[place], ARGV[place + 2]) end
redis.call('HSET', state, 'size', ARGV[2], 'checkpoint', ARGV[3])
redis.call('HSETNX', days, ARGV[4], ARGV[3])
return 1
