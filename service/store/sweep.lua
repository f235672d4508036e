-- Make games ready whose lease ran out; tell what is due.
-- KEYS ready leases due
-- Answers {games made ready, games ready for a second already, members due …}.
local ready, leases, due = unpack(KEYS)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local waiting = redis.call('ZCOUNT', ready, '-inf', now - 1000)
local lapsed = redis.call('ZRANGE', leases, '-inf', now, 'BYSCORE', 'LIMIT', 0, 1000)
for _, game in ipairs(lapsed) do
  redis.call('ZREM', leases, game)
  redis.call('ZADD', ready, 'NX', now, game)
end
return {#lapsed, waiting, unpack(redis.call('ZRANGE', due, '-inf', now, 'BYSCORE', 'LIMIT', 0, 1000))}
