-- Submit `put_off` for a deadline instead of its `expire`, once for each question and instant it was due.
-- KEYS `meta commands ids ready leases due`
-- ARGV game question by
-- Returns {status, whether to wake a worker, id}.
local meta, commands, ids, ready, leases, due = unpack(KEYS)
local game, question, by = unpack(ARGV)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local member = game .. ' d ' .. question
local instant = redis.call('ZSCORE', due, member)
if not instant or redis.call('HEXISTS', ids, 'd' .. question) == 1 then return {'known', 0, ''} end
if redis.call('HGET', meta, 'status') ~= 'running' then return {'over', 0, ''} end
redis.call('XLEN', commands)  -- before anything is written: it may be of another type
redis.call('ZREM', due, member)
local outage = question .. '@' .. instant
local id = 'off:' .. game .. ':' .. outage
if redis.call('HSETNX', ids, 'o' .. outage, 'p') == 0 then return {'known', 0, id} end
redis.call('XADD', commands, '*', 'd', string.format(
  '{"id":"%s","seat":0,"command":{"type":"put_off","question":"%s","by":%s},"expected":null,"credential":null}',
  id, string.match(question, '[^@]*'), by), 't', now)
local leased = redis.call('ZSCORE', leases, game)
if leased and math.floor(leased) > now then return {'accepted', 0, id} end
-- That it is ready may not be durable yet (see submit.lua).
local stood = redis.call('ZSCORE', ready, game)
if stood then redis.call('ZREM', ready, game) end
redis.call('ZADD', ready, stood or now, game)
return {'accepted', stood and 0 or 1, id}
