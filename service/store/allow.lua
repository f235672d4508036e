-- Take from a bucket that fills steadily; what is kept is the instant at which it will be full again (microseconds).
-- KEYS bucket
-- ARGV capacity, microseconds for one more, cost
-- Answers {1 or 0, left, seconds until one more is there}.
local capacity, each, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or 0), now)
local after = full + cost * each
if after - now > capacity * each then
  return {0, math.max(0, math.floor((capacity * each - (full - now)) / each)), math.ceil((after - now - capacity * each) / 1000000)}
end
redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.max(1, math.ceil((after - now) / 1000)))
local left = math.floor((capacity * each - (after - now)) / each)
return {1, left, left > 0 and 0 or math.ceil(((after - now) - (capacity - 1) * each) / 1000000)}
