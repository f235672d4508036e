-- Accept a submission into the command stream of its game, once per id.
-- KEYS meta commands ids ready leases marks, and where the workers' wakes are on this server the list of them
-- ARGV field digest seat expected refusals most game document unasked (0: no limit) anytime (how many answer nothing)
--      release ahead count (how many commands it is) list (the field of the list that it begins, or '') partition
-- Answers {status, seq or -1, whether to wake a worker, seconds to wait}.
local meta, commands, ids, ready, leases, marks, wakes = unpack(KEYS)
local field, digest, seat, expected, refusals, most, game, document, unasked, anytime, release, ahead, count, list, partition = unpack(ARGV)
count, anytime = tonumber(count), tonumber(anytime)

-- Wakes a worker, where that can be done from here; whether somebody else must.
local function woken(is_ready)
  if not is_ready or not wakes then return is_ready and 1 or 0 end
  redis.call('RPUSH', wakes, partition)
  return 0
end

-- A list is known by its own id, under which stands how many commands it holds.
local known = redis.call('HGET', ids, list ~= '' and list or field)
if known then
  if string.sub(known, 1, 8) ~= digest then return {'conflict', -1, 0, 0} end
  local came = string.sub(known, 9)
  if string.match(came, '^%d+$') then return {'known', tonumber(came), 0, 0} end
  return {'known', -1, woken(redis.call('ZSCORE', ready, game)), 0}
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
  if excess > 0 then return {'limited', -1, 0, math.ceil(excess / 1000)} end
end

if not status then return {'unknown-game', -1, 0, 0} end
if status == 'lobby' then return {'not-started', -1, 0, 0} end
if status == 'over' then return {'over', -1, 0, 0} end

local mark = seat ~= '0' and redis.call('HGET', marks, game)
if mark then
  local fine, decoded = pcall(cjson.decode, mark)
  if not fine or type(decoded) ~= 'table' or decoded.code ~= 'needs-release' then return {'quarantined', -1, 0, 0} end
  if decoded.release == release then return {'needs-release', -1, 0, 0} end
end

-- How the game stands for its readers: what each place has seen, and which seats are asked. Nothing where that was lost.
local seq, seen, asked = string.match(newest or '', '^%S+ (%d+) (%S+) (%S+)\n')
if seq ~= stood then seen, asked = nil, nil end
if expected ~= '' then
  local place = 0
  for etag in string.gmatch(seen or '', '%d+') do
    if place == tonumber(seat) and etag ~= expected then return {'stale', tonumber(etag), 0, 0} end
    place = place + 1
  end
end

-- Of a list one command stands in the stream, and those behind it are counted beside it.
local stand = redis.call('XLEN', commands)
local behind = stand > 0 and tonumber(following) or 0
if seat ~= '0' and stand + behind + count > tonumber(most) then return {'full', -1, 0, 1} end

-- What nobody asked for makes a commit all the same, for ever: a seat may say so much of it, and a little more each minute.
local cost = string.find(',' .. (asked or '') .. ',', ',' .. seat .. ',', 1, true) and anytime or count
if seat ~= '0' and unasked ~= '0' and cost > 0 then
  local full, written = string.match(said or '', '^(%d+) ?(%d*)$')
  -- After the clock was set back it is only as far off as it was.
  full = math.max((tonumber(full) or 0) - math.max(0, (tonumber(written) or now) - now), now)
  local excess = full - now - (tonumber(unasked) - cost) * 60000
  if excess > 0 then return {'unasked', -1, 0, math.ceil(excess / 1000)} end
  redis.call('HSET', meta, 'u' .. seat, string.format('%.0f %.0f', full + cost * 60000, now))
end

redis.call('XADD', commands, '*', 'd', document, 't', now)
if list == '' then
  redis.call('HSET', ids, field, digest .. 'p')
else
  redis.call('HSET', ids, list, digest .. 'n' .. count, field, 'p')
  redis.call('HSET', meta, 'behind', behind + count - 1)
end
local leased = redis.call('ZSCORE', leases, game)
if leased and tonumber(leased) > now then return {'accepted', -1, 0, 0} end
-- A player waits for it: so it stands before what bots and the clock have to say at other tables.
local since = seat == '0' and now or now - ahead
return {'accepted', -1, woken(redis.call('ZADD', ready, 'LT', since, game) == 1), 0}
