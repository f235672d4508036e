-- Acquire a lock that expires, or extend one's own. A lock that ends later than its length allows is left over from
-- before the clock was set back, and counts as free.
-- KEYS `lock`
-- ARGV owner milliseconds
-- Returns 1, or 0 if another owner has it.
local length, owner = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (.*)$')
if owner and owner ~= ARGV[1] and redis.call('PTTL', KEYS[1]) <= tonumber(length) then return 0 end
redis.call('SET', KEYS[1], ARGV[2] .. ' ' .. ARGV[1], 'PX', ARGV[2])
return 1
