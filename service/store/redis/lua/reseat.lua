-- Put other lines about the seats of a started game in the place of those that the caller has read, and tell every process.
-- Who holds a chair changes with a commit alone (append.lua), and these lines with it.
-- KEYS meta
-- ARGV before after revoked (a channel) word (what is told there) news (a channel) game
-- Answers 1, or 0 where they are others by now.
local before, after, revoked, word, news, game = unpack(ARGV)
if redis.call('EXISTS', KEYS[1]) == 0 or (redis.call('HGET', KEYS[1], 'seating') or '') ~= before then return 0 end
redis.call('HSET', KEYS[1], 'seating', after)
redis.call('PUBLISH', revoked, word)
redis.call('PUBLISH', news, game)
return 1
