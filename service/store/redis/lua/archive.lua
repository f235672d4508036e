-- Move a finished game into the archive, in three steps: look at it, say where it is being written to, and let the index
-- lead there. Whoever moves it writes the object between the last two.
-- KEYS every key of the game (`keys.Keys.whole`: meta commits ids told words salts mutes commands views snapshots), then
--      archive leaving litter outbox marks stalled
-- ARGV step (look, begin, swap, drop) game; for the later steps object (32 bytes); for swap digest (what `look` answered) and
--      milliseconds (for which it stays here, for whoever reads it at this moment)
-- Answers {word}: ok, unknown-game, not-over, archived, waits (something is still owed or is wrong with it), changed,
--      another (somebody else writes it to another object); to `look` also the digest, the clock, and meta, ids, told and the drawers.
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

-- All that is kept of it but its commits, of which the head in meta says everything; and without what is made anew.
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
-- Whoever reads it at this moment reads on: what stands here is a copy from now on, like any other from the archive.
for place = 1, 10 do redis.call('PEXPIREAT', KEYS[place], clock + stays) end
return {'ok'}
