-- Lease due deliveries.
-- KEYS `outbox`
-- ARGV length of the lease (ms), maximum number, prefix of the keys of this partition's games
-- Returns {when the leases end, member, score, progress (false: no longer subscribed) …}
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local due = redis.call('ZRANGE', KEYS[1], '-inf', now, 'BYSCORE', 'LIMIT', 0, ARGV[2], 'WITHSCORES')
local ends, scored, answer = now + ARGV[1], {}, {}
answer[1] = ends
for place = 1, #due, 2 do
  local member = due[place]
  scored[place], scored[place + 1] = ends, member
  local game, subscription = string.match(member, '^(%S*) ?(%S*)')
  local told = redis.pcall('HGET', ARGV[3] .. game .. ':told', subscription)
  answer[#answer + 1] = member
  answer[#answer + 1] = due[place + 1]
  answer[#answer + 1] = type(told) == 'string' and told
end
if #due > 0 then redis.call('ZADD', KEYS[1], unpack(scored)) end
return answer
