-- Delete a lobby and all keys of its game, unless the game has started.
-- KEYS `lobbies meta commands commits ids snapshots told`, and for a public game the lists it is in
-- ARGV game creator (empty: any) since (empty: always; else only if nothing has happened after it) channel
-- Returns "ok", "changed", or a refusal.
local lobbies, meta = KEYS[1], KEYS[2]
local game, sender, since, channel = unpack(ARGV)
local status, creator = unpack(redis.call('HMGET', meta, 'status', 'creator'))
if not status then
  redis.call('ZREM', lobbies, game)
  return 'unknown-game'
end
if sender ~= '' and sender ~= creator then return 'not-creator' end
if status ~= 'lobby' then
  redis.call('ZREM', lobbies, game)
  return 'started'
end
local touched = redis.call('ZSCORE', lobbies, game)
if since ~= '' and (not touched or tonumber(touched) > tonumber(since)) then return 'changed' end
redis.call('DEL', unpack(KEYS, 2, 7))
redis.call('ZREM', lobbies, game)
for place = 8, #KEYS do redis.call('ZREM', KEYS[place], game) end
redis.call('PUBLISH', channel, game .. ' 0')
return 'ok'
