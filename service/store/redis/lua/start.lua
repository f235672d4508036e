-- Freeze a lobby and submit `begin`, if nothing has changed since the command was made from it.
-- KEYS `meta commands ids ready lobbies`, for a public game: its two lists of lobbies, its two lists of running games
-- ARGV game creator revision field document made now setup origin
-- The caller passes the instant, read from this clock a moment ago, because the set-up line contains it.
-- The head is set before the first commit, so that a release without form 2 cannot begin the chain with zeros.
-- Returns "ok", "again" (it has started before), "changed" (read the lobby again), or a refusal.
local meta, commands, ids, ready = unpack(KEYS)
local game, sender, revision, field, document, made, now, setup, origin = unpack(ARGV)
local status, creator, present, chairs = unpack(redis.call('HMGET', meta, 'status', 'creator', 'revision', 'chairs'))
if not status then return 'unknown-game' end
if sender ~= creator then return 'not-creator' end
if status ~= 'lobby' then return 'again' end
if present ~= revision then return 'changed' end
if string.find('\n' .. chairs, '\n ') then return 'seats-open' end
redis.call('HSET', meta, 'status', 'running', 'started', now, 'invitation', '', 'setup', setup, 'head', origin)
redis.call('XADD', commands, '*', 'd', document, 't', now)
redis.call('HSET', ids, field, 'p')
redis.call('ZADD', ready, 'NX', now, game)
redis.call('ZREM', KEYS[5], game)
for place = 6, 7 do if KEYS[place] then redis.call('ZREM', KEYS[place], game) end end
for place = 8, 9 do if KEYS[place] then redis.call('ZADD', KEYS[place], made, game) end end
return 'ok'
