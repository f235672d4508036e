-- Append commits of one game, all of them or none, and write everything that belongs to them.
-- KEYS `meta commands commits ids views snapshots ready leases claims due stalled holders aside marks changes`
-- ARGV game, before (seq before the first commit) previous (head before the first commit); after the last commit:
--      head at
--      refused (the seat of a player whose command was refused, or 0)
--      over (1: the game ends) stalled (1: it stalls, 2: it resumes, 0: unchanged)
--      channel (of the game's news)
--      newest (its state for readers)
--      signature ('' keeps the stored one)
--      lapsed (number of commands of lists that no longer wait behind others)
--      lease (its score, '' if it was never claimed here)
--      clean (1: no earlier claim had ended without a commit)
--      done (1: release it if nothing waits)
--      waited, latest (number of entries in the stream when it was read, and the newest: no others are allowed if a
--        commit settles a submission that was never in the stream; else 0 and '')
--      four counts: commits, fields and values of views, letters and questions that are due, fields and documents of
--        lists
--      asked (`<seat>:<kind>` of each pending question to a player's seat, with a space on both sides)
--      vacated (comma-separated seats with a new controller)
--      requests (request ids of commits, the newest first, a line each: seq and id)
--      turn (the seat whose turn it is, or 0)
--      undoes (1: commits are undone)
--      number of arguments for waiting rests of plans
--      for each commit: entry ('' if it was never in the stream, '0-0' if imported) field packed snapshot tell (the
--        channel of the process with the waiting client, or '') more ('+' if more of its list follows, else '.')
--      fields and values of views
--      for each command that is due now: letter question
--      for the next command of each list: field document
--      for each waiting rest of a plan: seat kinds text (plan.lua)
--      for each deadline after the last commit: letter question instant
-- Returns -1 if the log is not at `before` with the head `previous`, or a command was settled already or waits no
-- longer; -2 if other commands wait, or the id of a submission that was never in the stream is known; else {bits, now}:
-- 1 if the game was released, 2 if its views were read lately.
local meta, commands, commits, ids, views, snapshots = unpack(KEYS, 1, 6)
local ready, leases, claims, due, stalled, holders, aside, marks, changes = unpack(KEYS, 7, 15)
local game, before, previous, head, at, refused, over, stall, channel, newest, signature = unpack(ARGV, 1, 11)
local lapsed, lease, clean, done, waited, latest, count, shown, said_first, nexts = unpack(ARGV, 12, 21)
local asked, vacated = ARGV[22], ARGV[23]
local requests, turn, undoes, pauses = unpack(ARGV, 24, 27)
lapsed, waited, count, shown = tonumber(lapsed), tonumber(waited), tonumber(count), tonumber(shown)
-- In a cluster, channels have the hash tag of the partition, and are served by the node of its keys.
-- The first index of each part.
local of_commits = 28
local of_views = of_commits + 6 * count
local of_said = of_views + shown
local of_nexts = of_said + said_first
local of_pauses = of_nexts + nexts
local of_due = of_pauses + pauses

local stood, last, was, behind, watched, spoken, plans, rests = unpack(redis.call(
  'HMGET', meta, 'seq', 'head', 'due', 'behind', 'watched', 'r' .. refused, 'plans', 'paused'))
-- A writer whose own commits were refused may have the right seq on another chain.
if (stood or '0') ~= before or (last or string.rep('0', 64)) ~= previous then return -1 end
local entries, ours, fields, ahead = {}, {}, {}, false
for place = 0, count - 1 do
  local entry = ARGV[of_commits + 6 * place]
  if entry == '' then
    ahead = true
  else
    entries[#entries + 1] = entry
    ours[entry] = true
  end
  fields[place + 1] = ARGV[of_commits + 1 + 6 * place]
end
local known = redis.call('HMGET', ids, unpack(fields))
for place = 1, count do
  if ARGV[of_commits - 6 + 6 * place] == '' then
    if known[place] then return -2 end
  elseif known[place] and string.sub(known[place], -1) ~= 'p' then
    return -1
  end
end

-- Fail on keys of the wrong type before anything is written.
local waiting = redis.call('XRANGE', commands, '-', '+', 'COUNT', math.max(waited, #entries) + 1)
-- An entry that was read and is missing now was lost with a killed server before it was durable (see submit.lua): it
-- was never accepted, or has been accepted again.
local still = 0
for _, each in ipairs(waiting) do
  if ours[each[1]] then still = still + 1 end
end
if still < #entries then
  for _, entry in ipairs(entries) do
    if entry ~= '0-0' and #redis.call('XRANGE', commands, entry, entry) == 0 then return -1 end
  end
end
-- Commands that arrived since then come before those that these commits make due.
if ahead and not (#waiting == waited and waiting[waited][1] == latest) then return -2 end
-- Views and snapshots are caches: replace a key of the wrong type.
local function keep(cache, ...)
  if type(redis.pcall('HSET', cache, ...)) == 'table' then
    redis.call('DEL', cache)
    redis.call('HSET', cache, ...)
  end
end
-- First, because only this can fail: the stream rejects a seq that exists.
for place = 0, count - 1 do
  redis.call('XADD', commits, before + 1 + place .. '-0', 'c', ARGV[of_commits + 2 + 6 * place])
end
local seq = before + count

-- The current time, read only if needed.
local read
local function now()
  if not read then
    local time = redis.call('TIME')
    read = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  return read
end
local held = tonumber(redis.call('ZSCORE', leases, game) or 0)
-- During a lease no other process claims the game, puts it off, or counts a failed claim, even if its time is up: such
-- a process changes the lease first, and each lease is unique.
local mine = held > 0 and held == tonumber(lease)
if not mine or clean ~= '1' then
  redis.call('HDEL', claims, game)
  redis.call('SREM', aside, game)
end
local settled = {}
for place = 1, count do
  settled[2 * place - 1] = fields[place]
  settled[2 * place] = (known[place] and string.sub(known[place], 1, -2) or '') .. (before + place)
  local snapshot = ARGV[of_commits - 3 + 6 * place]
  if snapshot ~= '' then keep(snapshots, before + place, snapshot) end
end
redis.call('HSET', ids, unpack(settled))
if shown > 0 then keep(views, unpack(ARGV, of_views, of_said - 1)) end
local changed = {'seq', seq, 'head', head, 'newest', newest}
local function change(name, value)
  changed[#changed + 1] = name
  changed[#changed + 1] = value
end
if signature ~= '' then change('sealed', signature) end
if refused ~= '0' then
  -- When it is full again, and when that was written: if the clock was set back since, the remaining time stays the
  -- same.
  local spent, written = string.match(spoken or '', '^(%d+) ?(%d*)$')
  spent = math.max((tonumber(spent) or 0) - math.max(0, (tonumber(written) or now()) - now()), now())
  change('r' .. refused, string.format('%.0f %.0f', spent + 60000, now()))
end
if stall == '1' then
  change('stalled', 1)
  redis.call('SADD', stalled, game)
elseif stall == '2' then
  change('stalled', 0)
  redis.call('SREM', stalled, game)
end

-- Removed deadlines leave the set; unchanged ones stay untouched.
local stands, gone = {}, {}
for member, instant in string.gmatch(was or '', '(%S+ %S+) (%S+)') do stands[member] = instant end
local left, dated, said = {}, {}, {}
if over ~= '1' then
  for i = of_said, of_nexts - 1, 2 do said[#said + 1] = {ARGV[i], ARGV[i + 1]} end
  for i = of_due, #ARGV, 3 do
    local letter, question, instant = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2])
    local member = letter .. ' ' .. question
    -- Compare deadlines with the log's clock (`at`), or commands would seem to come before their time. If the clock was
    -- set back, `at` is ahead of it by `lead`: bots' deadlines move by as much, so that bots wait as long as before; a
    -- player's deadline has passed if it has by either clock.
    local waits = instant > tonumber(at)
    if waits then
      local lead = math.max(0, tonumber(at) - now())
      if letter ~= 'd' then instant = instant - lead end
      waits = instant > now() + (letter == 'd' and lead or 0)
    end
    if waits then
      local text = string.format('%.0f', instant)
      left[#left + 1] = member .. ' ' .. text
      if stands[member] ~= text then
        dated[#dated + 1] = text
        dated[#dated + 1] = game .. ' ' .. member
      end
      stands[member] = nil
    else
      -- A search deadline (t) becomes a bot's answer, under the same id.
      said[#said + 1] = {letter == 't' and 'b' or letter, question}
    end
  end
end
for member in pairs(stands) do gone[#gone + 1] = game .. ' ' .. member end
if #gone > 0 then redis.call('ZREM', due, unpack(gone)) end
if #dated > 0 then redis.call('ZADD', due, unpack(dated)) end
local due_now = table.concat(left, ' ')
if due_now ~= (was or '') then change('due', due_now) end

-- Plans (plan.lua): delete those of seats with a new controller, and all waiting ones when the game is over.
local planned, paused = plans or '', rests or ''
local function without(list, seat)
  local others = ''
  for one in string.gmatch(list, '%S+') do
    if string.sub(one, 1, #seat + 1) ~= seat .. ':' then others = others .. one .. ' ' end
  end
  return others
end
local function played(seat)
  planned = without(planned, seat)
end
-- Take the waiting rest of a plan out of meta.
local function rest_of(seat)
  local field, number, document = string.match(redis.call('HGET', meta, 'paused' .. seat) or '', '^(................)(%d+)\n(.*)$')
  redis.call('HDEL', meta, 'paused' .. seat)
  paused = without(paused, seat)
  return field, number, document
end
local function stop(seat)
  local field = rest_of(seat)
  if field then redis.call('HDEL', ids, field) end
end
local function forget(seat)
  redis.call('HDEL', meta, 'plan' .. seat)
  played(seat)
  if string.find(' ' .. paused, ' ' .. seat .. ':', 1, true) then stop(seat) end
end
for i = of_pauses, of_due - 1, 3 do
  redis.call('HSET', ids, string.sub(ARGV[i + 2], 1, 16), 'p')
  redis.call('HSET', meta, 'paused' .. ARGV[i], ARGV[i + 2])
  paused = without(paused, ARGV[i]) .. ARGV[i] .. ':' .. ARGV[i + 1] .. ' '
end
if undoes == '1' then
  for seat in string.gmatch(paused, '(%d+):') do stop(seat) end
end
for seat in string.gmatch(vacated, '%d+') do forget(seat) end
local released = 0
if over == '1' then
  for seat in string.gmatch(planned, '(%d+):') do forget(seat) end
  for seat in string.gmatch(paused, '(%d+):') do rest_of(seat) end
  redis.call('DEL', commands)
  redis.call('ZREM', ready, game)
  redis.call('ZREM', leases, game)
  redis.call('HDEL', holders, game)
  redis.call('SREM', stalled, game)
  redis.call('HDEL', marks, game)
  change('status', 'over')
  change('stalled', 0)
  redis.call('HDEL', meta, 'behind')
  -- These would have waited: then they count as over.
  for i = of_nexts, of_pauses - 1, 2 do redis.call('HSET', ids, ARGV[i], 'p') end
  released = 1
else
  local stand, others = #waiting, false
  for _, each in ipairs(waiting) do others = others or not ours[each[1]] end
  local function submit(document)
    redis.call('XADD', commands, '*', 'd', document, 't', math.max(now(), tonumber(at)))
    stand = stand + 1
  end
  if stand > 0 and not others then
    stand = 0
    redis.call('DEL', commands)
  else
    stand = stand - redis.call('XDEL', commands, unpack(entries))
  end
  -- If a plan for a question waits or continues, it is played before the question's deadline is submitted.
  local planning = {}
  for i = of_nexts, of_pauses - 1, 2 do
    if string.find(ARGV[i + 1], '"plan":{', 1, true) then planning[string.match(ARGV[i + 1], '.*"seat":(%d+)')] = true end
  end
  local function fits(seat, kinds)
    local kind = string.match(asked, ' ' .. seat .. ':(%S+) ')
    return kind and (kinds == '*' or string.find(',' .. kinds .. ',', ',' .. kind .. ',', 1, true))
  end
  for seat, kinds in string.gmatch(planned, '(%d+):(%S+)') do
    if fits(seat, kinds) then planning[seat] = seat end
  end
  -- If the turn is over, the waiting rest of a plan is submitted all the same: it is refused, and its player can see
  -- that.
  for seat, kinds in string.gmatch(paused, '(%d+):(%S+)') do
    if fits(seat, kinds) or turn ~= seat then planning[seat] = seat end
  end
  local function say(letter, question)
    if redis.call('HSETNX', ids, letter .. question, 'p') == 0 then return end
    local name, type = 'due', 'expire'
    if letter == 'b' then name, type = 'bot', 'act' end
    submit(string.format(
      '{"id":"%s:%s:%s","seat":0,"command":{"type":"%s","question":"%s"},"expected":null,"credential":null}',
      name, game, question, type, string.match(question, '[^@]*')))
  end
  local after = {}
  for _, one in ipairs(said) do
    local seat = one[1] == 'd' and string.match(one[2], '^%d+:%d+:(%d+)')
    if seat and planning[seat] then after[#after + 1] = {seat, one[2]} else say(unpack(one)) end
  end
  for i = of_nexts, of_pauses - 1, 2 do
    -- After all that is due: it could not have been sent before this was settled.
    redis.call('HSET', ids, ARGV[i], 'p')
    submit(ARGV[i + 1])
  end
  -- Submit the plan whose question is pending; it is a list like any other from now on. Its player must still have the
  -- seat.
  local function is_own(seat, holder)
    local place = 0
    for who in string.gmatch(holder and redis.call('HGET', meta, 'chairs') or '', '(%S*) %S*\n') do
      place = place + 1
      if place == tonumber(seat) then return who == holder end
    end
  end
  local function add(seat, number, document)
    change('behind', (stand == 0 and 0 or tonumber(behind or 0) - lapsed) + number - 1)
    lapsed = 0
    submit(document)
    planning[seat] = true
    return true
  end
  local function play(seat)
    local held = redis.call('HGET', meta, 'plan' .. seat) or ''
    local number, holder, document = string.match(string.sub(held, 41), '^(%d+) %d+ (%S+) %S+\n(.*)$')
    if not is_own(seat, holder) then return forget(seat) end
    if string.find(' ' .. paused, ' ' .. seat .. ':', 1, true) then
      local _, left, rest = rest_of(seat)
      return rest and add(seat, left, rest)
    end
    played(seat)
    if redis.call('HSETNX', ids, string.sub(held, 1, 16), string.sub(held, 33, 40) .. 'n' .. number) == 0 then return end
    redis.call('HSET', ids, string.sub(held, 17, 32), 'p')
    return add(seat, number, document)
  end
  for seat in string.gmatch(paused .. planned, '(%d+):') do
    if planning[seat] == seat then
      -- Commands of SYSTEM that are due, and the rest of a list, come first.
      local busy = false
      for _, each in ipairs(stand > 0 and redis.call('XRANGE', commands, '-', '+') or {}) do
        busy = busy or string.find(each[2][2], '"seat":0', 1, true) or string.find(each[2][2], '"list":{', 1, true)
      end
      if busy or play(seat) then break end
      if not string.find(' ' .. paused .. planned, ' ' .. seat .. ':', 1, true) then planning[seat] = nil end
    end
  end
  for _, one in ipairs(after) do
    if not planning[one[1]] then say('d', one[2]) end
  end
  if stand == 0 then
    if #waiting == 0 then redis.call('DEL', commands) end
    if behind then redis.call('HDEL', meta, 'behind') end
    if not mine then
      redis.call('ZREM', ready, game)
    elseif done == '1' then
      redis.call('ZREM', leases, game)
      released = 1
    end
  else
    if lapsed > 0 then redis.call('HINCRBY', meta, 'behind', -lapsed) end
    if math.floor(held) <= now() then redis.call('ZADD', ready, 'NX', now(), game) end
  end
end
if planned ~= (plans or '') then change('plans', planned) end
if paused ~= (rests or '') then change('paused', paused) end
redis.call('HSET', meta, unpack(changed))
-- For the followers; `i`: the commits were imported.
local entry = {'g', game, 's', string.format('%.0f', seq), 'n', count}
if requests ~= '' then entry[7], entry[8] = 'r', requests end
if ARGV[of_commits] == '0-0' then entry[#entry + 1], entry[#entry + 2] = 'i', '1' end
redis.call('XADD', changes, '*', unpack(entry))
-- Send results to waiting clients. ` told` in the news says so, so that the news do not wake these clients.
for i = of_commits, of_views - 1, 6 do
  local tell = ARGV[i + 4]
  if tell ~= '' then
    redis.call('PUBLISH', tell, ARGV[i + 1] .. ARGV[i + 5] .. before + 1 + (i - of_commits) / 6 .. ' ' .. ARGV[i + 2])
  end
end
redis.call('PUBLISH', channel, game .. ' ' .. seq .. ' told')
return {released + (watched and tonumber(watched) > tonumber(at) and 2 or 0), now()}
