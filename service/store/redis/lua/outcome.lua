-- The outcome of a submission, with its commit.
-- KEYS meta commits ids
-- ARGV field
-- Answers false for an unknown one, 'pending', 'over' or 'list', or {seq, the packed commit (empty if it is gone)}.
local meta, commits, ids = unpack(KEYS)
local known = redis.call('HGET', ids, ARGV[1])
if not known then return false end
-- Eight characters of digest stand before what clients sent; a seq has never so many digits.
local came = #known < 9 and known or string.sub(known, 9)
-- Over is for good, and what waits then is never settled: nobody has to write that down for each of them.
if came == 'p' then return redis.call('HGET', meta, 'status') == 'over' and 'over' or 'pending' end
if string.sub(came, 1, 1) == 'n' then return 'list' end
local found = redis.call('XRANGE', commits, came, came)[1]
return {tonumber(came), found and found[2][2] or ''}
