-- Finish a delivery for now, or (again '+') extend its lease.
-- KEYS `outbox meta told`
-- ARGV member
--      until (the score of its lease)
--      subscription
--      `told` (its progress; '' drops it)
--      seq (of the progress)
--      again ('': with the next commit, an instant, or '+<milliseconds>' to extend the lease)
--      lease ('' if it is not to be leased again when the game has newer commits)
-- Returns 0 if the lease was lost, the end of the lease if it is leased, else 1.
local outbox, meta, told = unpack(KEYS)
local member, ends, subscription, state, seq, again, lease = unpack(ARGV)
local stands = redis.call('ZSCORE', outbox, member)
if not stands or tonumber(stands) ~= tonumber(ends) then return 0 end
local function now()
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
local function extend(milliseconds)
  -- Always later than before, because leases are identified by their end.
  local later = math.max(now() + milliseconds, tonumber(ends) + 1)
  redis.call('ZADD', outbox, later, member)
  return later
end
local longer = string.match(again, '^%+(%d+)$')
if longer then return extend(longer) end
if state ~= '' and type(redis.pcall('HSET', told, subscription, state)) == 'table' then
  -- It contains no progress: the subscriptions start again.
  redis.call('DEL', told)
  redis.call('HSET', told, subscription, state)
end
if again ~= '' then
  redis.call('ZADD', outbox, again, member)
elseif state ~= '' and tonumber(redis.call('HGET', meta, 'seq') or 0) > tonumber(seq) then
  if lease ~= '' then return extend(lease) end
  redis.call('ZADD', outbox, now(), member)
else
  redis.call('ZREM', outbox, member)
end
return 1
