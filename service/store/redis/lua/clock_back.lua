-- The clock was set back: keep the remaining time of bots' deadlines and of deliveries. Players' deadlines stay.
-- KEYS `due outbox`
-- ARGV milliseconds
-- Returns how many bot deadlines were moved.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found = redis.call('ZRANGE', KEYS[1], '(' .. now, '+inf', 'BYSCORE', 'WITHSCORES')
local brought = 0
for place = 1, #found, 2 do
  if string.match(found[place], '^%S+ [bt] ') then
    redis.call('ZADD', KEYS[1], math.max(now, tonumber(found[place + 1]) - ARGV[1]), found[place])
    brought = brought + 1
  end
end
local owed = redis.call('ZRANGE', KEYS[2], '(' .. now, '+inf', 'BYSCORE', 'WITHSCORES')
for place = 1, #owed, 2 do
  redis.call('ZADD', KEYS[2], math.max(now, tonumber(owed[place + 1]) - ARGV[1]), owed[place])
end
return brought
