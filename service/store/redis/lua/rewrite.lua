-- Put views anew, or how a game stands, if its log still stands where they are good for.
-- KEYS meta views
-- ARGV seq newest ('' leaves what is there) watched (milliseconds for which each commit is to bring its views; 0: as it was)
--      then fields and values of the views
local seq, newest, watched = unpack(ARGV, 1, 3)
if redis.call('HGET', KEYS[1], 'seq') ~= seq then return 0 end
if newest ~= '' then redis.call('HSET', KEYS[1], 'newest', newest) end
if watched ~= '0' then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('HSET', KEYS[1], 'watched', string.format('%.0f', now + watched))
end
if #ARGV > 3 then
  -- They are a cache: whatever stands in their place is no reason to stop.
  if type(redis.pcall('HSET', KEYS[2], unpack(ARGV, 4))) == 'table' then
    redis.call('DEL', KEYS[2])
    redis.call('HSET', KEYS[2], unpack(ARGV, 4))
  end
  -- Of a game that is only here for a while they are here no longer than the rest of it.
  local till = redis.call('PEXPIRETIME', KEYS[1])
  if till > 0 then redis.call('PEXPIREAT', KEYS[2], till) end
end
return 1
