-- Lease what is due in the outbox of a partition.
-- KEYS outbox
-- ARGV lease limit
-- Answers {until, member, when it was due …}: the first is the score that each of them has now. None was leased until then
-- before, because a lease ends later than the instant at which it was due.
local found = redis.call('EXISTS', KEYS[1])
if found == 0 then return {0} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local due = redis.call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[2], 'WITHSCORES')
local ends, scored = now + ARGV[1], {}
for place = 1, #due, 2 do
  scored[#scored + 1] = ends
  scored[#scored + 1] = due[place]
end
if #due > 0 then redis.call('ZADD', KEYS[1], unpack(scored)) end
return {ends, unpack(due)}
