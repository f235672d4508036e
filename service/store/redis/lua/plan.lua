-- Lay a seat's plan, or take it away; append.lua has it played.
-- KEYS meta ids
-- ARGV operation (lay, drop) seat match (the id of the plan that is replaced; * for whichever, - for none), and to lay one:
--      seq (where the log must stand) kinds (of the questions that it waits for, with commas) fields (the fields of its list
--      and of its first command, and the digest: 40 bytes) count player id document; to drop one: used (1: one that waits no more, too)
-- A plan stands in meta under `plan` and its seat: the fields, then `<count> <instant> <player> <id>`, a line's end, the document.
-- Those that wait stand in `plans`: `<seat>:<kinds>` each, with a space behind.
-- The rest of one that was begun and waits for others stands under `paused` and its seat: the field of its next command (16
-- bytes), `<count>`, a line's end, the document; and in `paused` as in `plans`.
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
-- The rest of the plan is not played any more.
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
