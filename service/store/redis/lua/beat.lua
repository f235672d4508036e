-- Store a heartbeat.
-- KEYS `beat`
-- Returns the instant of the previous one, or nothing.
local time = redis.call('TIME')
local before = redis.call('GET', KEYS[1])
redis.call('SET', KEYS[1], string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)))
return before and tonumber(before)
