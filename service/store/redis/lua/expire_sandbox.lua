-- Delete a finished sandbox that is not in the archive, with all its keys.
-- KEYS every key of the game (`keys.Keys.whole`), then archive leaving stalled marks, and for a public game the lists
--      it is in
-- ARGV game channel
-- Returns whether it was deleted.
local meta, archive, leaving, stalled, marks = KEYS[1], KEYS[11], KEYS[12], KEYS[13], KEYS[14]
local game, channel = ARGV[1], ARGV[2]
local status, sandbox, copy = unpack(redis.call('HMGET', meta, 'status', 'sandboxed', 'archived'))
if status ~= 'over' or sandbox ~= '1' or copy then return 0 end
if redis.call('HEXISTS', archive, game) == 1 or redis.call('HEXISTS', leaving, game) == 1
    or redis.call('SISMEMBER', stalled, game) == 1 or redis.call('HEXISTS', marks, game) == 1 then
  return 0
end
redis.call('DEL', unpack(KEYS, 1, 10))
for place = 15, #KEYS do redis.call('ZREM', KEYS[place], game) end
redis.call('PUBLISH', channel, game .. ' 0')
return 1
