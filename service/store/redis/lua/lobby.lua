-- Change a lobby: take a seat, give one to a bot, free one, add entropy, replace the invitation. The last also works
-- after the start while a seat is on offer.
-- KEYS `meta lobbies`
-- ARGV operation sender seat (0: the first free one) holder entropy invitation game
--      request (a repeated request gets the seat that it got before; '' if it is not repeated)
-- Returns {"ok", seat, holder} or {refusal}.
local meta = KEYS[1]
local operation, sender, wanted, holder, entropy, invitation, game, request = unpack(ARGV)
local status, creator, visibility, sandbox, proof, chairs, seating = unpack(redis.call(
  'HMGET', meta, 'status', 'creator', 'visibility', 'sandboxed', 'invitation', 'chairs', 'seating'))
if not status then return {'unknown-game'} end
local before = request ~= '' and redis.call('HGET', meta, 'request ' .. request)
if before then return {'ok', tonumber(before), holder} end

local holders, added, free, mine = {}, {}, 0, 0
for who, what in string.gmatch(chairs, '(%S*) (%S*)\n') do
  holders[#holders + 1] = who
  added[#added + 1] = what
  if who == '' and free == 0 then free = #holders end
  if who == sender then mine = #holders end
end
local seat = tonumber(wanted)

-- Check the invitation first, so that a stranger learns nothing else of a private game.
local invited = visibility == 'public' or sender == creator or mine > 0 or (invitation ~= '' and invitation == proof)
if operation == 'join' and not invited then return {'wrong-invitation'} end
if (operation == 'bot' or operation == 'invite') and sender ~= creator then return {'not-creator'} end
local offers = status == 'running' and string.find(seating or '', '\nvacant ', 1, true)
if status ~= 'lobby' and not (operation == 'invite' and offers) then return {'started'} end

if operation == 'join' or operation == 'bot' then
  if operation == 'join' and mine > 0 and sandbox ~= '1' then return {'seated-already'} end
  if seat == 0 then seat = free end
  if seat == 0 then return {'full'} end
  if holders[seat] ~= '' then return {'seat-taken'} end
  holders[seat], added[seat] = holder, entropy
elseif operation == 'leave' then
  local who = holders[seat]
  if not who or who == '' or (who ~= sender and sender ~= creator) then return {'not-seated'} end
  holders[seat], added[seat] = '', ''
  holder = who
elseif operation == 'entropy' then
  if holders[seat] ~= sender then return {'not-seated'} end
  added[seat] = entropy
elseif operation == 'invite' then
  redis.call('HSET', meta, 'invitation', invitation)
end

local lines = {}
for place, who in ipairs(holders) do lines[place] = who .. ' ' .. added[place] .. '\n' end
redis.call('HSET', meta, 'chairs', table.concat(lines))
redis.call('HINCRBY', meta, 'revision', 1)
if request ~= '' then redis.call('HSET', meta, 'request ' .. request, seat) end
local time = redis.call('TIME')
if status == 'lobby' then redis.call('ZADD', KEYS[2], time[1] * 1000 + math.floor(time[2] / 1000), game) end
return {'ok', seat, holder}
