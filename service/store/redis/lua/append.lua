-- Append one commit, and all that becomes true with it.
-- KEYS meta commands commits ids rows snapshots ready leases claims due stalled holders aside marks
--      and for a public game that is over: its two lists of running games, its two lists of games that are over
-- ARGV game before previous entry field packed head at refused over stalled snapshot made channel signature key
--      follows (what is submitted next of the list that this is one of, or '') its field, lapsed (how many of it never will)
--      tell (the channel of the process in which its sender waits for it, or '')
--      then the number of row fields and values, these, and for each thing due: letter question instant
-- Answers 1, or 0 if the log does not stand at `before` with the head `previous`, or the submission was settled already.
local meta, commands, commits, ids, rows, snapshots, ready, leases, claims, due, stalled, holders, aside, marks = unpack(KEYS)
local game, before, previous, entry, field, packed, head, at, refused, over, stall, snapshot, made, channel = unpack(ARGV)
local signature, key, follows, next_field, lapsed, tell, count = unpack(ARGV, 15, 21)
lapsed, count = tonumber(lapsed), tonumber(count)
local seq = before + 1

local stood, newest, was = unpack(redis.call('HMGET', meta, 'seq', 'head', 'due'))
-- A writer whose own commits were refused may come to the right number on another chain.
if (stood or '0') ~= before or (newest or string.rep('0', 64)) ~= previous then return 0 end
local known = redis.call('HGET', ids, field)
if known and string.sub(known, -1) ~= 'p' then return 0 end

-- What is of another type than it should be is found before anything is written.
redis.call('XLEN', commands)
-- Rows and snapshots are caches: whatever stands in their place is no reason to stop half-way.
local function keep(cache, ...)
  if type(redis.pcall('HSET', cache, ...)) == 'table' then
    redis.call('DEL', cache)
    redis.call('HSET', cache, ...)
  end
end
-- First, because it alone can fail: the stream takes no seq twice.
redis.call('XADD', commits, seq .. '-0', 'c', packed)

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', ids, field, (known and string.sub(known, 1, -2) or '') .. seq)
keep(rows, unpack(ARGV, 22, 21 + count))
redis.call('HDEL', claims, game)
redis.call('SREM', aside, game)
if snapshot ~= '' then keep(snapshots, seq, snapshot) end
if refused ~= '0' then
  -- When it is full again, and when that was written: after the clock was set back it is only as far off as it was.
  local spent, written = string.match(redis.call('HGET', meta, 'r' .. refused) or '', '^(%d+) ?(%d*)$')
  spent = math.max((tonumber(spent) or 0) - math.max(0, (tonumber(written) or now) - now), now)
  redis.call('HSET', meta, 'r' .. refused, string.format('%.0f %.0f', spent + 60000, now))
end
if stall == '1' then
  redis.call('HSET', meta, 'stalled', 1)
  redis.call('SADD', stalled, game)
elseif stall == '2' then
  redis.call('HSET', meta, 'stalled', 0)
  redis.call('SREM', stalled, game)
end

for member in string.gmatch(was or '', '(%S+ %S+) %S+') do
  redis.call('ZREM', due, game .. ' ' .. member)
end
local left = {}
if over == '1' then
  redis.call('DEL', commands)
  redis.call('ZREM', ready, game)
  redis.call('ZREM', leases, game)
  redis.call('HDEL', holders, game)
  redis.call('SREM', stalled, game)
  redis.call('HDEL', marks, game)
  redis.call('HSET', meta, 'status', 'over', 'stalled', 0)
  redis.call('HDEL', meta, 'behind')
  for place = 15, #KEYS do
    if place < 17 then redis.call('ZREM', KEYS[place], game) else redis.call('ZADD', KEYS[place], made, game) end
  end
else
  redis.call('XDEL', commands, entry)
  for i = 22 + count, #ARGV, 3 do
    local letter, question, instant = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2])
    local member = letter .. ' ' .. question
    -- What is due by the log's clock is asked for by the log's clock, or it would seem to be asked for before its time.
    -- Commits never go back in time. Once the clock did, what is due with one is due now, and bots wait as long as ever.
    local ahead = math.max(0, tonumber(at) - now)
    if letter == 'b' then instant = instant - ahead end
    if instant > now + (letter == 'd' and ahead or 0) then
      redis.call('ZADD', due, instant, game .. ' ' .. member)
      left[#left + 1] = member .. ' ' .. string.format('%.0f', instant)
    elseif redis.call('HSETNX', ids, letter .. question, 'p') == 1 then
      local name, type = 'due', 'expire'
      if letter == 'b' then name, type = 'bot', 'act' end
      redis.call('XADD', commands, '*', 'd', string.format(
        '{"id":"%s:%s:%s","seat":0,"command":{"type":"%s","question":"%s"},"expected":null,"credential":null}',
        name, game, question, type, string.match(question, '[^@]*')), 't', math.max(now, tonumber(at)))
    end
  end
  if follows ~= '' then
    -- Behind all that has become due: it could not have been sent before this was settled.
    redis.call('HSET', ids, next_field, 'p')
    redis.call('XADD', commands, '*', 'd', follows, 't', math.max(now, tonumber(at)))
    lapsed = lapsed + 1
  end
  if lapsed > 0 then redis.call('HINCRBY', meta, 'behind', -lapsed) end
  if redis.call('XLEN', commands) == 0 then
    redis.call('DEL', commands)
    redis.call('HDEL', meta, 'behind')
    redis.call('ZREM', ready, game)
  elseif tonumber(redis.call('ZSCORE', leases, game) or 0) <= now then
    redis.call('ZADD', ready, 'NX', now, game)
  end
end
redis.call('HSET', meta, 'seq', seq, 'head', head, 'at', at, 'due', table.concat(left, ' '))
if signature ~= '' then redis.call('HSET', meta, 'signed', head, 'signature', signature, 'key', key) end
-- Who waits for it hears the whole of it; these news say so, and then wake nobody who waits for a command.
if tell ~= '' then redis.call('PUBLISH', tell, field .. (follows ~= '' and '+' or '.') .. seq .. ' ' .. packed) end
redis.call('PUBLISH', channel, game .. ' ' .. seq .. ' told')
return 1
