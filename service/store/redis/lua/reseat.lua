-- Replace the seating lines of a started game if the caller has read the stored ones, and inform every process.
-- Holders of seats change only with a commit (append.lua), which changes these lines too.
-- KEYS `meta`
-- ARGV before after revoked (a channel) word (its message) news (a channel) game
-- Returns 1, or 0 if the lines have changed.
local before, after, revoked, word, news, game = unpack(ARGV)
if redis.call('EXISTS', KEYS[1]) == 0 or (redis.call('HGET', KEYS[1], 'seating') or '') ~= before then return 0 end
redis.call('HSET', KEYS[1], 'seating', after)
redis.call('PUBLISH', revoked, word)
redis.call('PUBLISH', news, game)
return 1
