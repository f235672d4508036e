-- Add a token to those of an account, if it has fewer than so many (0: however many).
-- KEYS tokens
-- ARGV most credential packed
local most = tonumber(ARGV[1])
if most > 0 and redis.call('HLEN', KEYS[1]) >= most then return 0 end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
return 1
