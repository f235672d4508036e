-- Move the games with new heads to `moving`, which may contain earlier ones that were not logged since.
-- KEYS `moved moving`
-- Returns all games in `moving`.
local moved, moving = KEYS[1], KEYS[2]
if redis.call('EXISTS', moving) == 0 then
  if redis.call('EXISTS', moved) == 1 then redis.call('RENAME', moved, moving) end
else
  redis.call('SUNIONSTORE', moving, moving, moved)
  redis.call('DEL', moved)
end
return redis.call('SMEMBERS', moving)
