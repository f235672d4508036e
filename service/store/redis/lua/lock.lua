-- Take a lock that frees itself, or prolong one's own. One that has longer to go than it can last is left over from
-- before the clock was set back, and free.
-- KEYS lock
-- ARGV owner milliseconds
local length, owner = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (.*)$')
if owner and owner ~= ARGV[1] and redis.call('PTTL', KEYS[1]) <= tonumber(length) then return 0 end
redis.call('SET', KEYS[1], ARGV[2] .. ' ' .. ARGV[1], 'PX', ARGV[2])
return 1
