-- The last commit settled at or before an instant, by binary search: commits are numbered without gaps and never
-- earlier than the preceding one.
-- KEYS `meta commits`
-- ARGV at
-- Returns the seq, 0 if none.
local low, high = 0, tonumber(redis.call('HGET', KEYS[1], 'seq') or 0)
local wanted = tonumber(ARGV[1])
while low < high do
  local middle = math.ceil((low + high) / 2)
  local packed = redis.call('XRANGE', KEYS[2], middle .. '-0', middle .. '-0')[1][2][2]
  local at = 0
  for place = 2, 7 do at = at * 256 + string.byte(packed, place) end
  if at <= wanted then low = middle else high = middle - 1 end
end
return low
