-- Submit SYSTEM's command for a question, once and not before its instant.
-- KEYS `meta commands ids ready leases due`
-- ARGV game member field document
-- Returns {whether the game became ready, milliseconds between its instant and now, -1 if it was not submitted}.
local meta, commands, ids, ready, leases, due = unpack(KEYS)
local game, member, field, document = unpack(ARGV)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local instant = redis.call('ZSCORE', due, member)
if not instant or tonumber(instant) > now then return {0, -1} end
-- Fail on keys of the wrong type before anything is written.
local status = redis.call('HGET', meta, 'status')
redis.call('HLEN', ids)
redis.call('XLEN', commands)
redis.call('ZREM', due, member)
if status ~= 'running' then return {0, -1} end
if redis.call('HSETNX', ids, field, 'p') == 0 then return {0, -1} end
local late = now - instant
redis.call('XADD', commands, '*', 'd', document, 't', now)
local leased = redis.call('ZSCORE', leases, game)
if leased and math.floor(leased) > now then return {0, late} end
-- That it is ready may not be durable yet (see submit.lua).
local stood = redis.call('ZSCORE', ready, game)
if stood then redis.call('ZREM', ready, game) end
redis.call('ZADD', ready, stood or now, game)
return {stood and 0 or 1, late}
