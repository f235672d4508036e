-- Acquire one of `most` semaphore slots, or extend one's own.
-- KEYS `places`
-- ARGV holder most seconds
-- Returns {1 or 0, seconds until the next slot expires}.
local places, holder, most, seconds = KEYS[1], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', places, '-inf', now)
-- No slot lasts longer than that: a later expiry means that the clock was set back.
local longest = now + seconds * 1000
for _, late in ipairs(redis.call('ZRANGE', places, '(' .. longest, '+inf', 'BYSCORE')) do
  redis.call('ZADD', places, longest, late)
end
if not redis.call('ZSCORE', places, holder) and redis.call('ZCARD', places) >= most then
  local first = redis.call('ZRANGE', places, 0, 0, 'WITHSCORES')[2]
  return {0, first and math.ceil((tonumber(first) - now) / 1000) or seconds}
end
redis.call('ZADD', places, longest, holder)
redis.call('PEXPIREAT', places, redis.call('ZRANGE', places, -1, -1, 'WITHSCORES')[2])
return {1, 0}
