-- Make games ready whose lease has come to its end; tell what is due.
-- KEYS ready leases due holders
-- ARGV length of a lease that does not say its own; then game and number of each lease that its watcher has seen unmoved
--      for longer than its length
-- Answers {games made ready, games ready for a second already, {members due …}, {game, number, length of each lease …}}.
local ready, leases, due, holders = unpack(KEYS)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- A game that a player waits for stands 30 seconds ahead (AHEAD in log.py): such a one is ready for a second after 31.
local waiting = redis.call('ZCOUNT', ready, '-inf', now - 1000)
  - redis.call('ZCOUNT', ready, '(' .. (now - 31000), now - 30000)
local made = 0
local function lapse(game)
  redis.call('ZREM', leases, game)
  redis.call('HDEL', holders, game)
  redis.call('ZADD', ready, 'NX', now, game)
  made = made + 1
end

for _, game in ipairs(redis.call('ZRANGE', leases, '-inf', now, 'BYSCORE', 'LIMIT', 0, 1000)) do lapse(game) end
for place = 2, #ARGV, 2 do
  local number = string.match(redis.call('HGET', holders, ARGV[place]) or '', '^%d+')
  if (number or '0') == ARGV[place + 1] and redis.call('ZSCORE', leases, ARGV[place]) then lapse(ARGV[place]) end
end

-- Whatever lies further ahead than it can last was written before the clock was set back.
local left = {}
local farthest = redis.call('ZRANGE', leases, '+inf', '(' .. now, 'BYSCORE', 'REV', 'LIMIT', 0, 100, 'WITHSCORES')
for place = 1, #farthest, 2 do
  local game, held = farthest[place], redis.call('HGET', holders, farthest[place]) or ''
  local number, length = string.match(held, '^(%d+) (%d+)')
  length = tonumber(length or ARGV[1])
  if tonumber(farthest[place + 1]) - now > length then
    lapse(game)
  else
    for _, part in ipairs({game, number or '0', length}) do left[#left + 1] = part end
  end
end
for _, game in ipairs(redis.call('ZRANGE', ready, '(' .. now, '+inf', 'BYSCORE', 'LIMIT', 0, 1000)) do
  redis.call('ZADD', ready, now, game)
end
return {made, waiting, redis.call('ZRANGE', due, '-inf', now, 'BYSCORE', 'LIMIT', 0, 1000), left}
