-- Take from a token bucket that refills steadily.
-- Stored are the instant at which it will be full again (microseconds), and when that was written: if the clock was set
-- back since, the remaining time stays the same.
-- KEYS `bucket`
-- ARGV capacity, microseconds for one more, cost
-- Returns {1 or 0, left, seconds until one more is there}.
local capacity, each, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local kept, written = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) ?(%d*)$')
local back = math.max(0, (tonumber(written) or now) - now)
local full = math.max((tonumber(kept) or 0) - back, now)
local function keep(instant)
  local lasts = math.max(1, math.ceil((instant - now) / 1000))
  redis.call('SET', KEYS[1], string.format('%.0f %.0f', instant, now), 'PX', lasts)
end
local after = full + cost * each
if after - now > capacity * each then
  if back > 0 then keep(full) end
  return {0, math.max(0, math.floor((capacity * each - (full - now)) / each)), math.ceil((after - now - capacity * each) / 1000000)}
end
keep(after)
local left = math.floor((capacity * each - (after - now)) / each)
return {1, left, left > 0 and 0 or math.ceil(((after - now) - (capacity - 1) * each) / 1000000)}
