-- Replace a value if it is what the caller has read.
-- KEYS its key
-- ARGV before after
-- Returns 1, or 0 if the value has changed or is gone.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1
