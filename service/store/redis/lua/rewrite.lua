-- Replace views, or a game's state for readers, if its log is still at their seq.
-- KEYS `meta views`
-- ARGV seq newest ('' keeps the stored one) watched (milliseconds for which each commit includes views; 0: unchanged)
--      then fields and values of the views
-- Returns 1, or 0 if the log has another seq.
local seq, newest, watched = unpack(ARGV, 1, 3)
if redis.call('HGET', KEYS[1], 'seq') ~= seq then return 0 end
if newest ~= '' then redis.call('HSET', KEYS[1], 'newest', newest) end
if watched ~= '0' then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('HSET', KEYS[1], 'watched', string.format('%.0f', now + watched))
end
if #ARGV > 3 then
  -- Views are a cache: replace a key of the wrong type.
  if type(redis.pcall('HSET', KEYS[2], unpack(ARGV, 4))) == 'table' then
    redis.call('DEL', KEYS[2])
    redis.call('HSET', KEYS[2], unpack(ARGV, 4))
  end
  -- Views of a temporary copy expire with it.
  local till = redis.call('PEXPIRETIME', KEYS[1])
  if till > 0 then redis.call('PEXPIREAT', KEYS[2], till) end
end
return 1
