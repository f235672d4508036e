-- Accept a submission into the command stream of its game, once per id.
-- KEYS meta commands ids ready leases marks
-- ARGV field digest seat expected refusals most game document unasked (0: no limit) anytime (how many answer nothing)
--      release ahead count (how many commands it is) list (the field of the list that it begins, or '')
--      waits (1: its sender is told nothing before its commit, or else `keep`, has written it down)
-- Answers {status, seq or -1, whether to wake a worker, seconds to wait}.
local meta, commands, ids, ready, leases, marks = unpack(KEYS)
local field, digest, seat, expected, refusals, most, game, document, unasked, anytime, release, ahead, count, list, waits = unpack(ARGV)
count, anytime = tonumber(count), tonumber(anytime)
-- A list is known by its own id, under which stands how many commands it holds.
local name = list ~= '' and list or field

-- What is known of its id, or else this answer.
local function unless_known(answer)
  local known = redis.call('HGET', ids, name)
  if not known then return answer end
  if string.sub(known, 1, 8) ~= digest then return {'conflict', -1, 0, 0} end
  local came = string.sub(known, 9)
  if string.match(came, '^%d+$') then return {'known', tonumber(came), 0, 0} end
  return {'known', -1, redis.call('ZSCORE', ready, game) and 1 or 0, 0}
end

-- Why a player's command is not taken: the game is set aside.
local function set_aside()
  local mark = seat ~= '0' and redis.call('HGET', marks, game)
  if not mark then return nil end
  local fine, decoded = pcall(cjson.decode, mark)
  if not fine or type(decoded) ~= 'table' or decoded.code ~= 'needs-release' then return {'quarantined', -1, 0, 0} end
  if decoded.release == release then return {'needs-release', -1, 0, 0} end
end

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local status, spent, newest, stood, following, said = unpack(redis.call(
  'HMGET', meta, 'status', 'r' .. seat, 'newest', 'seq', 'behind', 'u' .. seat))
if seat ~= '0' and spent then
  local full, written = string.match(spent, '^(%d+) ?(%d*)$')
  full, written = tonumber(full) or now, tonumber(written) or now
  if written > now then
    -- The clock was set back: the bucket is only as empty as it was.
    full = full - (written - now)
    redis.call('HSET', meta, 'r' .. seat, string.format('%.0f %.0f', full, now))
  end
  local excess = full - now - (tonumber(refusals) - 1) * 60000
  if excess > 0 then return unless_known({'limited', -1, 0, math.ceil(excess / 1000)}) end
end

if not status then return unless_known({'unknown-game', -1, 0, 0}) end
if status == 'lobby' then return unless_known({'not-started', -1, 0, 0}) end
if status == 'over' then return unless_known({'over', -1, 0, 0}) end

-- How the game stands for its readers: what each place has seen, and which seats are asked. Nothing where that was lost.
local seq, seen, asked = string.match(newest or '', '^%S+ (%d+) (%S+) (%S+)\n')
if seq ~= stood then seen, asked = nil, nil end
if expected ~= '' then
  local place = 0
  for etag in string.gmatch(seen or '', '%d+') do
    if place == tonumber(seat) and etag ~= expected then
      return unless_known(set_aside() or {'stale', tonumber(etag), 0, 0})
    end
    place = place + 1
  end
end

-- Of a list one command stands in the stream, and those behind it are counted beside it.
local function full()
  local stand = redis.call('XLEN', commands)
  local behind = stand > 0 and tonumber(following) or 0
  if seat ~= '0' and stand + behind + count > tonumber(most) then return {'full', -1, 0, 1} end
end

-- What nobody asked for makes a commit all the same, for ever: a seat may say so much of it, and a little more each minute.
local cost = string.find(',' .. (asked or '') .. ',', ',' .. seat .. ',', 1, true) and anytime or count
local charged
if seat ~= '0' and unasked ~= '0' and cost > 0 then
  local till, written = string.match(said or '', '^(%d+) ?(%d*)$')
  -- After the clock was set back it is only as far off as it was.
  till = math.max((tonumber(till) or 0) - math.max(0, (tonumber(written) or now) - now), now)
  local excess = till - now - (tonumber(unasked) - cost) * 60000
  if excess > 0 then return unless_known(set_aside() or full() or {'unasked', -1, 0, math.ceil(excess / 1000)}) end
  charged = string.format('%.0f %.0f', till + cost * 60000, now)
end

-- Nearly always it is new, and nothing waits in the game: then it neither stands among those that are ready nor is it
-- leased, and so it is not set aside either, since that is a lease as well (`mark` sees to it).
local leased = redis.call('ZSCORE', leases, game)
-- What is taken in for a sender who waits is in memory alone: neither in the append-only file nor on replicas. Its commit
-- has all of it, and until then nobody has been told that it was taken in.
if waits == '1' then redis.set_repl(redis.REPL_NONE) end
if redis.call('HSETNX', ids, name, list ~= '' and digest .. 'n' .. count or digest .. 'p') == 0 then
  return unless_known({'known', -1, 0, 0})
end
-- A player waits for it: so it stands before what bots and the clock have to say at other tables.
local since = seat == '0' and now or now - ahead
local made = not leased and redis.pcall('ZADD', ready, 'NX', since, game)
local idle = made == 1
-- What stands somewhere may be of another type than it should be: then nothing has been asked.
local failed = type(made) == 'table' and made
local refused = failed or (not idle and (set_aside() or full()))
if refused then
  redis.call('HDEL', ids, name)
  return refused
end
local entry = redis.pcall('XADD', commands, '*', 'd', document, 't', now)
if type(entry) == 'table' then
  redis.call('HDEL', ids, name)
  if idle then redis.call('ZREM', ready, game) end
  return entry
end
if charged then redis.call('HSET', meta, 'u' .. seat, charged) end
if list ~= '' then
  redis.call('HSET', ids, field, 'p')
  -- Nothing else waits where it is idle, whatever was forgotten there.
  redis.call('HSET', meta, 'behind', (idle and 0 or tonumber(following) or 0) + count - 1)
end
if idle then
  return {'accepted', -1, 1, 0}
end
if leased and math.floor(leased) > now then return {'accepted', -1, 0, 0} end
-- That it is ready may not be written down yet.
local stood = redis.call('ZSCORE', ready, game)
if stood then redis.call('ZREM', ready, game) end
redis.call('ZADD', ready, math.min(since, tonumber(stood or since)), game)
return {'accepted', -1, stood and 0 or 1, 0}
