-- Add a token or a secret address to those of an account. The account must exist, have fewer than `most` of them (0: no
-- limit), and have these tokens.
-- KEYS `list` `account` `tokens`
-- ARGV most id packed token...
-- Returns 1 if it is there now, else 0.
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then return 1 end
local most = tonumber(ARGV[1])
if most > 0 and redis.call('HLEN', KEYS[1]) >= most then return 0 end
if redis.call('HEXISTS', KEYS[2], 'made_at') == 0 then return 0 end
for at = 4, #ARGV do
  if redis.call('HEXISTS', KEYS[3], ARGV[at]) == 0 then return 0 end
end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[3])
return 1
