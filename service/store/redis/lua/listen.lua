-- Add a subscription to a game.
-- KEYS `meta told outbox`
-- ARGV subscription member most
-- Returns 1 if it is subscribed now, 0 if there is no such game, it is over, or it has too many subscriptions.
local meta, told, outbox = unpack(KEYS)
local subscription, member, most = unpack(ARGV)
local status, seq, listening = unpack(redis.call('HMGET', meta, 'status', 'seq', 'listening'))
if not status or status == 'over' then return 0 end
local count, known = 0, false
for each in string.gmatch(listening or '', '%S+') do
  count = count + 1
  known = known or each == subscription
end
if not known and count >= tonumber(most) then return 0 end
seq = tonumber(seq or 0)
if not known then
  redis.call('HSET', meta, 'listening', (count > 0 and listening .. ' ' or '') .. subscription)
end
if redis.call('HSETNX', told, subscription, string.format('%.0f 0 0 ', seq)) == 0 then
  -- Commits of a release without an outbox are to be delivered.
  local stands = tonumber(string.match(redis.call('HGET', told, subscription), '^%d+') or seq)
  if stands < seq then
    local time = redis.call('TIME')
    redis.call('ZADD', outbox, 'NX', time[1] * 1000 + math.floor(time[2] / 1000), member)
  end
end
return 1
