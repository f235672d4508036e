-- The outcome of a submission, with its commit.
-- KEYS `meta commits ids`
-- ARGV field
-- Returns false for an unknown one, 'pending', 'over' or 'list', or {seq, the packed commit (empty if it is gone)}.
local meta, commits, ids = unpack(KEYS)
local known = redis.call('HGET', ids, ARGV[1])
if not known then return false end
-- Values of clients' submissions begin with eight characters of digest; a seq never has that many digits.
local came = #known < 9 and known or string.sub(known, 9)
-- The end of a game is final and pending commands are never settled, so their values do not need to change.
if came == 'p' then return redis.call('HGET', meta, 'status') == 'over' and 'over' or 'pending' end
if string.sub(came, 1, 1) == 'n' then return 'list' end
local found = redis.call('XRANGE', commits, came, came)[1]
return {tonumber(came), found and found[2][2] or ''}
