-- Accept a submission into the command stream of its game, once per id.
-- KEYS `meta commands ids ready leases marks`
-- ARGV a JSON document, the submission, its field in ids, the digest of its body, the field of the list that it begins ('')
--      The document: game, seat, expected (the ETag that its sender has seen, or nil), count (its number of commands),
--      anytime (how many of them answer no question), most (commands that may wait), refusals, unasked (0: no limit),
--      ahead (milliseconds by which a player's game precedes others), release, waits (its client is informed only when
--      its commit, or `keep`, has made it durable)
-- Returns {status, seq or -1, whether to wake a worker, seconds to wait}.
local meta, commands, ids, ready, leases, marks = unpack(KEYS)
local it, document, field, digest, list = cjson.decode(ARGV[1]), unpack(ARGV, 2)
local game, count, anytime, release = it.game, it.count, it.anytime, it.release
local seat = string.format('%.0f', it.seat)
-- A list has its own id, with its number of commands as the value.
local name = list ~= '' and list or field

-- The receipt of a known id, or else this answer.
local function unless_known(answer)
  local known = redis.call('HGET', ids, name)
  if not known then return answer end
  if string.sub(known, 1, #digest) ~= digest then return {'conflict', -1, 0, 0} end
  local came = string.sub(known, #digest + 1)
  if string.match(came, '^%d+$') then return {'known', tonumber(came), 0, 0} end
  return {'known', -1, redis.call('ZSCORE', ready, game) and 1 or 0, 0}
end

-- The refusal of a player's command in a quarantined game, or nil.
local function set_aside()
  local mark = seat ~= '0' and redis.call('HGET', marks, game)
  if not mark then return nil end
  local fine, decoded = pcall(cjson.decode, mark)
  if not fine or type(decoded) ~= 'table' or decoded.code ~= 'needs-release' then return {'quarantined', -1, 0, 0} end
  if decoded.release == release then return {'needs-release', -1, 0, 0} end
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local status, spent, newest, stood, said = unpack(redis.call(
  'HMGET', meta, 'status', 'r' .. seat, 'newest', 'seq', 'u' .. seat))
if seat ~= '0' and spent then
  local full, written = string.match(spent, '^(%d+) ?(%d*)$')
  full, written = tonumber(full) or now, tonumber(written) or now
  if written > now then
    -- The clock was set back: the remaining time of the bucket stays the same.
    full = full - (written - now)
    redis.call('HSET', meta, 'r' .. seat, string.format('%.0f %.0f', full, now))
  end
  local excess = full - now - (it.refusals - 1) * 60000
  if excess > 0 then return unless_known({'limited', -1, 0, math.ceil(excess / 1000)}) end
end

if not status then return unless_known({'unknown-game', -1, 0, 0}) end
if status == 'lobby' then return unless_known({'not-started', -1, 0, 0}) end
if status == 'over' then return unless_known({'over', -1, 0, 0}) end

-- The game's state for readers: the seen seq of each place, and the seats with pending questions; nil if it was lost.
local seq, seen, asked = string.match(newest or '', '^%S+ (%d+) (%S+) (%S+)\n')
if seq ~= stood then seen, asked = nil, nil end
if it.expected then
  local place = 0
  for etag in string.gmatch(seen or '', '%d+') do
    if place == tonumber(seat) and tonumber(etag) ~= it.expected then
      return unless_known(set_aside() or {'stale', tonumber(etag), 0, 0})
    end
    place = place + 1
  end
end

-- Only the next command of a list is in the stream; its entry has the number of commands that are left (`n`).
local function full()
  if seat == '0' then return nil end
  local waiting = count
  for _, entry in ipairs(redis.call('XRANGE', commands, '-', '+')) do waiting = waiting + (entry[2][6] or 1) end
  if waiting > it.most then return {'full', -1, 0, 1} end
end

-- Unsolicited commands add permanent commits: each seat has a limit, which refills slowly.
local cost = string.find(',' .. (asked or '') .. ',', ',' .. seat .. ',', 1, true) and anytime or count
local charged
if seat ~= '0' and it.unasked ~= 0 and cost > 0 then
  local till, written = string.match(said or '', '^(%d+) ?(%d*)$')
  -- If the clock was set back, the remaining time stays the same.
  till = math.max((tonumber(till) or 0) - math.max(0, (tonumber(written) or now) - now), now)
  local excess = till - now - (it.unasked - cost) * 60000
  if excess > 0 then return unless_known(set_aside() or full() or {'unasked', -1, 0, math.ceil(excess / 1000)}) end
  charged = string.format('%.0f %.0f', till + cost * 60000, now)
end

-- Nearly always it is new, and nothing waits in the game: then the game is neither ready nor leased, and not
-- quarantined either, because that implies a lease (see `mark`).
local leased = redis.call('ZSCORE', leases, game)
-- A submission with a waiting client is only in memory: neither in the append-only file nor on replicas. Its commit
-- contains all of it, and until then its acceptance is not reported to anyone.
if it.waits then redis.set_repl(redis.REPL_NONE) end
if redis.call('HSETNX', ids, name, list ~= '' and digest .. 'n' .. count or digest .. 'p') == 0 then
  return unless_known({'known', -1, 0, 0})
end
-- A player waits for it, so the game goes before those that only bots and the clock made ready.
local since = seat == '0' and now or now - it.ahead
local made = not leased and redis.pcall('ZADD', ready, 'NX', since, game)
local idle = made == 1
-- A key may have the wrong type: then undo everything.
local failed = type(made) == 'table' and made
local refused = failed or (not idle and (set_aside() or full()))
if refused then
  redis.call('HDEL', ids, name)
  return refused
end
local entry = redis.pcall('XADD', commands, '*', 'd', document, 't', now, unpack(count > 1 and {'n', count} or {}))
if type(entry) == 'table' then
  redis.call('HDEL', ids, name)
  if idle then redis.call('ZREM', ready, game) end
  return entry
end
if charged then redis.call('HSET', meta, 'u' .. seat, charged) end
if list ~= '' then
  redis.call('HSET', ids, field, 'p')
end
if idle then
  return {'accepted', -1, 1, 0}
end
if leased and math.floor(leased) > now then return {'accepted', -1, 0, 0} end
-- That it is ready may not be durable yet.
local stood = redis.call('ZSCORE', ready, game)
if stood then redis.call('ZREM', ready, game) end
redis.call('ZADD', ready, math.min(since, tonumber(stood or since)), game)
return {'accepted', -1, stood and 0 or 1, 0}
