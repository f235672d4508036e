-- Store a seat's plan, or delete it; append.lua submits it.
-- KEYS `meta ids`
-- ARGV operation (lay, drop)
--      seat
--      match (the id of the plan to replace; * for any, - for none)
--      for lay: seq (the log must be there), kinds (of the questions that it waits for, comma-separated), fields (the
--        fields of its list and of its first command, and the digest: 40 bytes), count, player, id, document
--      for drop: used (1: also a plan that waits no longer)
-- Returns laid, dropped, changed, moved, over, not-started, unknown-game, none or used.
-- Meta has a plan under `plan` and its seat: the fields, then `<count> <instant> <player> <id>`, a newline, the
-- document.
-- Waiting plans are listed in `plans`: `<seat>:<kinds>` each, followed by a space.
-- The waiting rest of a plan that was begun is under `paused` and its seat: the field of its next command (16 bytes),
-- `<count>`, a newline, the document; it is listed in `paused` as in `plans`.
local meta, ids = unpack(KEYS)
local operation, seat, match = unpack(ARGV)
local name = 'plan' .. seat
local status, stood, waiting, held, paused = unpack(redis.call('HMGET', meta, 'status', 'seq', 'plans', name, 'paused'))
waiting, paused = waiting or '', paused or ''
local id = held and string.match(string.sub(held, 41), '^%d+ %d+ %S+ (%S+)\n')
if match == '-' and id or match ~= '*' and match ~= '-' and match ~= id then return 'changed' end
local function without(list)
  local others = ''
  for one in string.gmatch(list, '%S+') do
    if string.sub(one, 1, #seat + 1) ~= seat .. ':' then others = others .. one .. ' ' end
  end
  return others
end
local others, rests = without(waiting), without(paused)
-- Cancel the rest of the plan.
local function stop()
  if rests == paused then return end
  redis.call('HDEL', ids, string.sub(redis.call('HGET', meta, 'paused' .. seat) or '', 1, 16))
  redis.call('HDEL', meta, 'paused' .. seat)
  redis.call('HSET', meta, 'paused', rests)
end

if operation == 'drop' then
  if not held then return 'none' end
  if others == waiting and rests == paused and ARGV[4] ~= '1' then return 'used' end
  redis.call('HDEL', meta, name)
  stop()
  if others ~= waiting then redis.call('HSET', meta, 'plans', others) end
  return 'dropped'
end

local seq, kinds, fields, count, player, own, document = unpack(ARGV, 4)
if not status then return 'unknown-game' end
if status == 'lobby' then return 'not-started' end
if status == 'over' then return 'over' end
if stood ~= seq then return 'moved' end
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
stop()
redis.call('HSET', meta, name, fields .. count .. ' ' .. now .. ' ' .. player .. ' ' .. own .. '\n' .. document,
  'plans', others .. seat .. ':' .. kinds .. ' ')
return 'laid'
