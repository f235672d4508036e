-- Lease ready games, with their pending commands. A game with an earlier claim without a commit is returned alone: if
-- it kills its worker again, no other game is blamed for it.
-- KEYS `ready leases claims holders aside marks`
-- ARGV a JSON document: limit (of games), lease (milliseconds), holder (its number, 1 to 1023), entries (maximum of each
--      game), stem (prefix of the names of the partition's games), longest (a lease beyond it stores its length)
-- The score of a lease is its end, with the holder's number in the fraction of a millisecond.
-- Returns {now, game, lease, claims without a commit, its mark or '', whether it was put off, since when it was ready,
-- entries or false, …}.
local ready, leases, claims, holders, aside, marks = unpack(KEYS)
local it = cjson.decode(ARGV[1])
local found = redis.call('ZPOPMIN', ready, it.limit)
if #found == 0 then return {} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lease = string.format('%.17g', now + it.lease + it.holder / 1024)

-- These are nearly always empty.
local odd = redis.call('EXISTS', claims, aside, marks) > 0
local taken, given, back = {now}, {}, {}
local alone = false
for place = 1, #found, 2 do
  local game, times, mark, put = found[place], 0, '', 0
  if odd then
    times = tonumber(redis.call('HGET', claims, game) or 0)
    mark = redis.call('HGET', marks, game) or ''
    put = redis.call('SISMEMBER', aside, game)
  end
  if alone or (times > 0 and place > 1) then
    alone = true
    for _, part in ipairs({found[place + 1], game}) do back[#back + 1] = part end
  else
    alone = times > 0
    -- The key may not be a stream.
    local entries = redis.pcall('XRANGE', it.stem .. game .. ':commands', '-', '+', 'COUNT', it.entries)
    if entries.err then entries = false end
    for _, part in ipairs({game, lease, times, mark, put, found[place + 1]}) do taken[#taken + 1] = part end
    taken[#taken + 1] = entries
    for _, part in ipairs({lease, game}) do given[#given + 1] = part end
    if it.lease > it.longest then redis.call('HSET', holders, game, '0 ' .. it.lease .. ' +') end
  end
end
if #back > 0 then redis.call('ZADD', ready, unpack(back)) end
redis.call('ZADD', leases, unpack(given))
return taken
