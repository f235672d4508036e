-- Put something in place of what the caller has read.
-- KEYS where it stands
-- ARGV before after
-- Answers 1, or 0 where something else stands there by now, or nothing.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
