-- Store a temporary copy of a game from the archive; it expires.
-- KEYS every key of the game (`keys.Keys.whole`), then archive
-- ARGV game object milliseconds, number of fields and values of each of `meta ids told words salts mutes`;
--      these; then the packed commits
-- Returns 1 if there is a copy now, 0 if the index has another object or none.
local game, object, stays = unpack(ARGV, 1, 3)
local meta, commits = KEYS[1], KEYS[2]
if redis.call('HGET', KEYS[11], game) ~= object then return 0 end
if redis.call('EXISTS', meta) == 1 then return 1 end
-- Delete leftovers of a write that was in progress when the game was archived.
redis.call('DEL', unpack(KEYS, 1, 10))
local place = 10
for number, key in ipairs({meta, KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7]}) do
  local last = place + ARGV[3 + number] - 1
  while place <= last do
    local till = math.min(place + 999, last)
    redis.call('HSET', key, unpack(ARGV, place, till))
    place = till + 1
  end
end
for seq = 1, #ARGV - place + 1 do redis.call('XADD', commits, seq .. '-0', 'c', ARGV[place + seq - 1]) end
redis.call('HSET', meta, 'archived', object)
local time = redis.call('TIME')
local till = time[1] * 1000 + math.floor(time[2] / 1000) + stays
for number = 1, 10 do redis.call('PEXPIREAT', KEYS[number], till) end
return 1
