-- Extend or shorten the life of a copy from the archive, or restore the game for good.
-- KEYS every key of the game (`keys.Keys.whole`), then archive litter
-- ARGV game object (its name) how (GT: at least, LT: at most, good: restored from the archive for good) milliseconds
-- Returns 1, or 0 if there is no such copy.
local game, object, how, stays = unpack(ARGV)
if redis.call('HGET', KEYS[1], 'archived') ~= object then return 0 end
if how == 'good' then
  if redis.call('HGET', KEYS[11], game) ~= object then return 0 end
  redis.call('HDEL', KEYS[11], game)
  redis.call('HDEL', KEYS[1], 'archived')
  redis.call('SADD', KEYS[12], game .. ' ' .. object)
  for place = 1, 10 do redis.call('PERSIST', KEYS[place]) end
  return 1
end
local time = redis.call('TIME')
local till = time[1] * 1000 + math.floor(time[2] / 1000) + stays
for place = 1, 10 do redis.call('PEXPIREAT', KEYS[place], till, how) end
return 1
