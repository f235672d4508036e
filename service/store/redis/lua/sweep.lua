-- Make games ready whose lease has come to its end; tell what is due.
-- KEYS ready leases due holders claims outbox
-- ARGV length of a lease that does not say its own; then game and score of each lease that its watcher has seen unmoved
--      for longer than its length
-- Answers {games made ready, games ready for 0.3 seconds already, {members due …}, {game, score, length of each lease …}, how
-- much is owed}: of what subscriptions are owed, that which is due.
local ready, leases, due, holders, claims, outbox = unpack(KEYS)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local owed = redis.call('ZCOUNT', outbox, '-inf', now)
-- A game that a player waits for stands 30 seconds ahead (AHEAD in log.py): such a one is ready for 0.3 seconds after 30.3.
local waiting = redis.call('ZCOUNT', ready, '-inf', now - 300)
  - redis.call('ZCOUNT', ready, '(' .. (now - 30300), now - 30000)
local made = 0
local function lapse(game, score)
  redis.call('ZREM', leases, game)
  redis.call('HDEL', holders, game)
  -- Whoever held it came to nothing. Games put aside, and leases of before that were counted when they were taken, have
  -- nobody's number in their score.
  if tonumber(score) % 1 > 0 then redis.call('HINCRBY', claims, game, 1) end
  redis.call('ZADD', ready, 'NX', now, game)
  made = made + 1
end

-- The fraction of a score is who holds the lease, and no time: what ends in this millisecond has come to its end.
local lapsed = redis.call('ZRANGE', leases, '-inf', '(' .. (now + 1), 'BYSCORE', 'LIMIT', 0, 1000, 'WITHSCORES')
for place = 1, #lapsed, 2 do lapse(lapsed[place], lapsed[place + 1]) end
for place = 2, #ARGV, 2 do
  local game, score = ARGV[place], ARGV[place + 1]
  if tonumber(redis.call('ZSCORE', leases, game) or 0) == tonumber(score) then lapse(game, score) end
end

-- Whatever lies further ahead than it can last was written before the clock was set back.
local left = {}
local farthest = redis.call('ZRANGE', leases, '+inf', now + 1, 'BYSCORE', 'REV', 'LIMIT', 0, 100, 'WITHSCORES')
for place = 1, #farthest, 2 do
  local game, score = farthest[place], farthest[place + 1]
  local length = tonumber(string.match(redis.call('HGET', holders, game) or '', '^%d+ (%d+)') or ARGV[1])
  if tonumber(score) - now > length + 1 then
    lapse(game, score)
  else
    for _, part in ipairs({game, score, length}) do left[#left + 1] = part end
  end
end
for _, game in ipairs(redis.call('ZRANGE', ready, '(' .. now, '+inf', 'BYSCORE', 'LIMIT', 0, 1000)) do
  redis.call('ZADD', ready, now, game)
end
return {made, waiting, redis.call('ZRANGE', due, '-inf', now, 'BYSCORE', 'LIMIT', 0, 1000), left, owed}
