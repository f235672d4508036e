-- Remove a subscription from a game, with its progress and pending delivery.
-- KEYS `meta told outbox`
-- ARGV subscription member
local meta, told, outbox = unpack(KEYS)
local subscription, member = unpack(ARGV)
local left, found = {}, false
for each in string.gmatch(redis.call('HGET', meta, 'listening') or '', '%S+') do
  if each == subscription then found = true else left[#left + 1] = each end
end
if #left > 0 then
  if found then redis.call('HSET', meta, 'listening', table.concat(left, ' ')) end
else
  redis.call('HDEL', meta, 'listening')
end
if type(redis.pcall('HDEL', told, subscription)) == 'table' then redis.call('DEL', told) end
redis.call('ZREM', outbox, member)
