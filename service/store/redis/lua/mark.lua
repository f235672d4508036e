-- Increment the store's mark, if the store has the expected id.
-- KEYS the store's own hash
-- ARGV the expected id, raise (0: only read)
-- Returns {id, games ever created, mark, the instant of the mark}; id is '' if the store has none.
local found = redis.call('HGET', KEYS[1], 'id') or ''
if found == ARGV[1] and ARGV[2] == '1' then
  local time = redis.call('TIME')
  redis.call('HINCRBY', KEYS[1], 'mark', 1)
  redis.call('HSET', KEYS[1], 'at', time[1] * 1000 + math.floor(time[2] / 1000))
end
local games, mark, at = unpack(redis.call('HMGET', KEYS[1], 'games', 'mark', 'at'))
return {found, tonumber(games or 0), tonumber(mark or 0), tonumber(at or 0)}
