-- Make games with expired leases ready again; report what is due.
-- KEYS `ready leases due holders claims outbox`
-- ARGV length of a lease that does not store its own; then game and score of each lease that the caller has seen
--      unchanged for longer than its length
-- Returns {games made ready, games that have been ready for 0.3 seconds, {due members …}, {game, score, length of each
-- lease …}, number of due deliveries}.
local ready, leases, due, holders, claims, outbox = unpack(KEYS)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local owed = redis.call('ZCOUNT', outbox, '-inf', now)
-- A game that a player waits for is 30 seconds ahead (AHEAD in waiting.py): it has been ready for 0.3 seconds at 30.3.
local waiting = redis.call('ZCOUNT', ready, '-inf', now - 300)
  - redis.call('ZCOUNT', ready, '(' .. (now - 30300), now - 30000)
local made = 0
local function lapse(game, score)
  redis.call('ZREM', leases, game)
  redis.call('HDEL', holders, game)
  -- Its owner made no commit. The scores of games that were put off, and of leases of old releases that counted claims
  -- at once, have no process number.
  if tonumber(score) % 1 > 0 then redis.call('HINCRBY', claims, game, 1) end
  redis.call('ZADD', ready, 'NX', now, game)
  made = made + 1
end

-- The fraction of a score is the owner's number and no time: a lease that ends in this millisecond has ended.
local lapsed = redis.call('ZRANGE', leases, '-inf', '(' .. (now + 1), 'BYSCORE', 'LIMIT', 0, 1000, 'WITHSCORES')
for place = 1, #lapsed, 2 do lapse(lapsed[place], lapsed[place + 1]) end
for place = 2, #ARGV, 2 do
  local game, score = ARGV[place], ARGV[place + 1]
  if tonumber(redis.call('ZSCORE', leases, game) or 0) == tonumber(score) then lapse(game, score) end
end

-- A lease that ends later than its length allows was written before the clock was set back.
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
