-- Add a token to those of an account, if it has fewer than `most` (0: no limit) and the token that mints it exists.
-- KEYS `tokens`
-- ARGV most credential packed minted_by (may be empty or left out)
-- Returns 1 if it is there now, else 0.
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then return 1 end
local most, minted_by = tonumber(ARGV[1]), ARGV[4]
if most > 0 and redis.call('HLEN', KEYS[1]) >= most then return 0 end
if minted_by and minted_by ~= '' and redis.call('HEXISTS', KEYS[1], minted_by) == 0 then return 0 end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
return 1
