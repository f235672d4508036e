-- Move a finished game into the archive in three steps: read it, record its object, and point the index to the object.
-- The caller writes the object between the last two.
-- KEYS every key of the game (`keys.Keys.whole`: `meta commits ids told words salts mutes commands views snapshots`)
--      archive leaving litter outbox marks stalled
-- ARGV step (look, begin, swap, drop) game
--      for all steps but look: object (32 bytes)
--      for swap: digest (returned by `look`) and milliseconds (for which the data stays here, for current readers)
-- Returns {word}: ok, unknown-game, not-over, archived, waits (something is pending or wrong with it), changed,
--      another (another process is writing it to another object); for `look` also the digest, the clock, and meta, ids,
--      `told` and the notes of each namespace.
local meta, commits, ids, told, words, salts, mutes, commands = unpack(KEYS, 1, 8)
local archive, moving, litter, outbox, marks, stalled = unpack(KEYS, 11, 16)
local step, game, object, digest, stays = unpack(ARGV)

if step == 'drop' then
  if redis.call('HGET', moving, game) ~= object then return {'another'} end
  redis.call('SADD', litter, game .. ' ' .. object)
  redis.call('HDEL', moving, game)
  return {'ok'}
end

local status, seq, listening, copy = unpack(redis.call('HMGET', meta, 'status', 'seq', 'listening', 'archived'))
if not status then return {'unknown-game'} end
if copy or redis.call('HEXISTS', archive, game) == 1 then return {'archived'} end
if status ~= 'over' then return {'not-over'} end
if redis.call('EXISTS', commands) == 1 or redis.call('HEXISTS', marks, game) == 1
    or redis.call('SISMEMBER', stalled, game) == 1 then
  return {'waits'}
end
for subscription in string.gmatch(listening or '', '%S+') do
  if redis.call('ZSCORE', outbox, game .. ' ' .. subscription) then return {'waits'} end
end

if step == 'begin' then
  local before = redis.call('HGET', moving, game)
  if before and before ~= object then redis.call('SADD', litter, game .. ' ' .. before) end
  redis.call('HSET', moving, game, object)
  return {'ok'}
end

-- All data of the game except its commits, which the head in meta determines, and except caches.
local function taken(key)
  local flat, held, names = redis.call('HGETALL', key), {}, {}
  for place = 1, #flat, 2 do
    local name = flat[place]
    if key ~= meta or (name ~= 'newest' and name ~= 'watched') then names[#names + 1] = name end
    held[name] = flat[place + 1]
  end
  table.sort(names)
  local pieces = {}
  for place, name in ipairs(names) do
    pieces[place] = #name .. ':' .. #held[name] .. ':' .. name .. held[name]
  end
  return flat, redis.sha1hex(table.concat(pieces))
end
local contents, digests = {}, {}
for place, key in ipairs({meta, ids, told, words, salts, mutes}) do
  contents[place], digests[place] = taken(key)
end
local now = redis.sha1hex(table.concat(digests))
local time = redis.call('TIME')
local clock = time[1] * 1000 + math.floor(time[2] / 1000)
if step == 'look' then return {'ok', now, clock, unpack(contents)} end

if redis.call('HGET', moving, game) ~= object or redis.call('SISMEMBER', litter, game .. ' ' .. object) == 1 then
  return {'another'}
end
if now ~= digest then return {'changed'} end
redis.call('HSET', archive, game, object)
redis.call('HDEL', moving, game)
redis.call('HSET', meta, 'archived', object)
-- For current readers the data here remains as a copy, like any other from the archive.
for place = 1, 10 do redis.call('PEXPIREAT', KEYS[place], clock + stays) end
return {'ok'}
