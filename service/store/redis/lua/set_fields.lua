-- Set fields of a hash if others still have the values that the caller has read; then publish messages.
-- KEYS the hash
-- ARGV number of fields to compare, number of fields to set, the former and their values ('' if missing), the latter
--      and their values ('' deletes), then pairs of a channel and a message
-- Returns 1, or 0 if a field has another value by now.
local set = 3 + 2 * ARGV[1]
local messages = set + 2 * ARGV[2]
for place = 3, set - 1, 2 do
  if (redis.call('HGET', KEYS[1], ARGV[place]) or '') ~= ARGV[place + 1] then return 0 end
end
for place = set, messages - 1, 2 do
  if ARGV[place + 1] == '' then
    redis.call('HDEL', KEYS[1], ARGV[place])
  else
    redis.call('HSET', KEYS[1], ARGV[place], ARGV[place + 1])
  end
end
for place = messages, #ARGV, 2 do redis.call('PUBLISH', ARGV[place], ARGV[place + 1]) end
return 1
