-- Repair what follows from one game itself: the lists it is in, its wake, its deadlines, whether it is stalled.
-- KEYS `meta commands ids ready leases due stalled`
--      then pairs of lists, of its kind and of every kind: every status, lobbies, running, over, with seats on offer
-- ARGV game made write (1: write the repairs)
-- Returns how many of each were wrong: {lists, wakes, deadlines}.
local meta, commands, ids, ready, leases, due, stalled = unpack(KEYS)
local game, made, write = unpack(ARGV)
local status, visibility, standing, stuck, seating = unpack(redis.call(
  'HMGET', meta, 'status', 'visibility', 'due', 'stalled', 'seating'))
local lists, wakes, deadlines = 0, 0, 0

local places = {lobby = 1, running = 2, over = 3}
local free = status == 'running' and string.find(seating or '', '\nvacant ', 1, true)
for place = 8, #KEYS do
  local which = math.floor((place - 8) / 2)
  local wanted = visibility == 'public' and (which == 0 or places[status] == which or (which == 4 and free))
  local there = redis.call('ZSCORE', KEYS[place], game)
  if wanted and tonumber(there or -1) ~= tonumber(made) then
    lists = lists + 1
    if write == '1' then redis.call('ZADD', KEYS[place], made, game) end
  elseif there and not wanted then
    lists = lists + 1
    if write == '1' then redis.call('ZREM', KEYS[place], game) end
  end
end
if (redis.call('SISMEMBER', stalled, game) == 1) ~= (stuck == '1') then
  lists = lists + 1
  if write == '1' then redis.call(stuck == '1' and 'SADD' or 'SREM', stalled, game) end
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('XLEN', commands) > 0
    and not redis.call('ZSCORE', ready, game) and not redis.call('ZSCORE', leases, game) then
  wakes = 1
  if write == '1' then redis.call('ZADD', ready, 'NX', now, game) end
end

for letter, question, instant in string.gmatch(status == 'running' and standing or '', '(%S+) (%S+) (%d+)') do
  local member = game .. ' ' .. letter .. ' ' .. question
  -- A deadline that was put off or submitted is in the ids, not in the set.
  local gone = redis.call('HEXISTS', ids, letter .. question) == 1
    or redis.call('HEXISTS', ids, 'o' .. question .. '@' .. instant) == 1
  if not gone and not redis.call('ZSCORE', due, member) then
    deadlines = deadlines + 1
    if write == '1' then redis.call('ZADD', due, instant, member) end
  end
end
return {lists, wakes, deadlines}
