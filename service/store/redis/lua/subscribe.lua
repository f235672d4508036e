-- Add a subscription of a player, unless they have the maximum number of its kind (0: no limit).
-- KEYS the player's subscriptions: id → kind
-- ARGV kind id most
-- Returns 1 if it is there now, else 0.
if redis.call('HEXISTS', KEYS[1], ARGV[2]) == 1 then return 1 end
local most, count = tonumber(ARGV[3]), 0
for _, kind in ipairs(redis.call('HVALS', KEYS[1])) do
  if kind == ARGV[1] then count = count + 1 end
end
if most > 0 and count >= most then return 0 end
redis.call('HSET', KEYS[1], ARGV[2], ARGV[1])
return 1
