-- Append commits of one game, all of them or none, and all that becomes true with them.
-- KEYS meta commands commits ids views snapshots ready leases claims due stalled holders aside marks outbox moved
--      and for a public game whose seats change or that is over: its two lists of games with seats on offer; and for one that is
--      over: its two lists of running games, its two lists of games that are over
-- ARGV game, before (the seq that the first one follows) previous (the head that it follows), and as the last one leaves it:
--      head at refused (the seat of a player who was refused among them, or 0) over stalled made channel
--      newest (how it stands for its readers) signature ('' leaves the one that is there)
--      lapsed (how many commands of lists do not stand behind others any more) lease (its score, '' where it was never claimed here)
--      clean (1: when it was claimed, nothing had come to nothing) done (1: release it if nothing waits any more)
--      waited, latest (how many entries stood in the stream, and the newest: then nothing else may by now; 0 and '': whatever may)
--      then how many commits, fields and values of views, of what is due by now, and of lists' next ones there are; asked
--      (`<seat>:<kind>` of each question of the game's to a player's seat, each with a space around it) vacated (the seats, with commas, that are not
--      whose they were) reseated (what becomes of seats, a line each: `vacant`, `left`, `taken`, `asked`, `given` (to who has asked),
--      `refused` or `withdrawn`, `back` (from a vacation: until when that was to last), the seat, the commit, and who takes it or asks) revoked (the channel on which every process hears of it) turns (those that players were asked
--      for and are over: `<seat>1 ` for one played in time, `<seat>0 ` for one missed) requests (those that commits came of, the newest first, a
--      line each: seq and name) turn (the seat whose turn it is, or 0) undoes (1: commits are undone), how many arguments there are of
--      plans that wait for others; these:
--      for each commit entry ('' for what never stood in the stream, '0-0' for what was brought in from elsewhere) field packed snapshot tell (the channel of the process in
--      which its sender waits for it, or '') more ('+' if more of its list follows, or else '.'); letter question of what is
--      due by now; field document of each list's next one; seat kinds text of the rest of each plan that waits for others (plan.lua);
--      and for each thing due after the last one letter question instant
-- Answers -1 if the log does not stand at `before` with the head `previous`, or one of them was settled already or waits no more; -2 if
-- something else waits, or is known of what never stood in the stream; else {1 if it was released, 2 more if somebody has
-- read its views lately, and 4 more if a subscription is owed something that was owed nothing before; and what time it is}.
local meta, commands, commits, ids, views, snapshots = unpack(KEYS, 1, 6)
local ready, leases, claims, due, stalled, holders, aside, marks, outbox, moved = unpack(KEYS, 7, 16)
local game, before, previous, head, at, refused, over, stall, made, channel, newest, signature = unpack(ARGV, 1, 12)
local lapsed, lease, clean, done, waited, latest, count, shown, said_first, nexts = unpack(ARGV, 13, 22)
local asked, vacated = ARGV[23], ARGV[24]
local reseated, revoked, turns, requests, turn, undoes, pauses = unpack(ARGV, 25, 31)
lapsed, waited, count, shown = tonumber(lapsed), tonumber(waited), tonumber(count), tonumber(shown)
-- In a cluster channels have the hash tag of the partition, and are heard where its keys are.
-- Where each of these parts begins.
local of_commits = 32
local of_views = of_commits + 6 * count
local of_said = of_views + shown
local of_nexts = of_said + said_first
local of_pauses = of_nexts + nexts
local of_due = of_pauses + pauses

local stood, last, was, behind, watched, listening, spoken, plans, seating, causes, rests = unpack(redis.call(
  'HMGET', meta, 'seq', 'head', 'due', 'behind', 'watched', 'listening', 'r' .. refused, 'plans', 'seating', 'requests',
  'paused'))
-- A writer whose own commits were refused may come to the right number on another chain.
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

-- What is of another type than it should be is found before anything is written.
local waiting = redis.call('XRANGE', commands, '-', '+', 'COUNT', math.max(waited, #entries) + 1)
-- What was read from the stream and stands there no more went with a server that was killed before it was written down (see
-- submit.lua): it was never taken in, or is once more.
local still = 0
for _, each in ipairs(waiting) do
  if ours[each[1]] then still = still + 1 end
end
if still < #entries then
  for _, entry in ipairs(entries) do
    if entry ~= '0-0' and #redis.call('XRANGE', commands, entry, entry) == 0 then return -1 end
  end
end
-- Whatever has come in meanwhile stands before what these commits make due.
if ahead and not (#waiting == waited and waiting[waited][1] == latest) then return -2 end
-- Views and snapshots are caches: whatever stands in their place is no reason to stop half-way.
local function keep(cache, ...)
  if type(redis.pcall('HSET', cache, ...)) == 'table' then
    redis.call('DEL', cache)
    redis.call('HSET', cache, ...)
  end
end
-- First, because it alone can fail: the stream takes no seq twice.
for place = 0, count - 1 do
  redis.call('XADD', commits, before + 1 + place .. '-0', 'c', ARGV[of_commits + 2 + 6 * place])
end
local seq = before + count

-- What time it is, for those commits that need to know it.
local read
local function now()
  if not read then
    local time = redis.call('TIME')
    read = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  return read
end
local held = tonumber(redis.call('ZSCORE', leases, game) or 0)
-- While a lease is there nobody else takes the game, puts it aside, or counts that it came to nothing, though its time be
-- up: whoever takes it away so says, and there is none like it.
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
  -- When it is full again, and when that was written: after the clock was set back it is only as far off as it was.
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

-- What was due and is no longer leaves the set; what stands as it stood stays there untouched.
local stands, gone = {}, {}
for member, instant in string.gmatch(was or '', '(%S+ %S+) (%S+)') do stands[member] = instant end
local left, dated, said = {}, {}, {}
if over ~= '1' then
  for i = of_said, of_nexts - 1, 2 do said[#said + 1] = {ARGV[i], ARGV[i + 1]} end
  for i = of_due, #ARGV, 3 do
    local letter, question, instant = ARGV[i], ARGV[i + 1], tonumber(ARGV[i + 2])
    local member = letter .. ' ' .. question
    -- What is due by the log's clock is asked for by the log's clock, or it would seem to be asked for before its time.
    -- Commits never go back in time. Once the clock did, what is due with one is due now, and bots wait as long as ever.
    -- What is due with it at the latest is so by either clock.
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
      -- What was to be thought over (t) is said as a bot's answer, under the same id.
      said[#said + 1] = {letter == 't' and 'b' or letter, question}
    end
  end
end
for member in pairs(stands) do gone[#gone + 1] = game .. ' ' .. member end
if #gone > 0 then redis.call('ZREM', due, unpack(gone)) end
if #dated > 0 then redis.call('ZADD', due, unpack(dated)) end
local due_now = table.concat(left, ' ')
if due_now ~= (was or '') then change('due', due_now) end

-- Plans (plan.lua): those of seats that are another's now are gone, and with a game that is over all that wait.
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
-- The rest of a plan that waits for others: what it is, and that it is not played any more.
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
-- What its players have made of the last hundred turns that each was asked for, and when that was; it goes with who leaves a seat.
local kept = {}
for seat, how in string.gmatch(turns, '(%d+)([01]) ') do
  local known = kept[seat] or string.match(redis.call('HGET', meta, 't' .. seat) or '', ' ([01]+)$') or ''
  kept[seat] = string.sub(known .. how, -100)
end
for seat, how in pairs(kept) do change('t' .. seat, at .. ' ' .. how) end
-- Whose seats are another's from now on; service/store/redis/lobbies/record.py says what stands in the lines.
local seats = 0
if reseated ~= '' then
  seats = 1 + (tonumber(string.match(seating or '', '^rev (%d+)\n')) or 0)
  local lines, chairs = string.gsub(seating or '', '^rev %d+\n', ''), redis.call('HGET', meta, 'chairs')
  for how, seat, since, holder in string.gmatch(reseated, '(%a+) (%d+) (%d+) (%S*)\n') do
    local asking = string.match('\n' .. lines, '\nwish ' .. seat .. ' (%S+)\n')
    if how == 'given' then how, holder = 'taken', asking or '' end
    if how == 'asked' then
      lines = lines .. 'wish ' .. seat .. ' ' .. holder .. '\n'
    elseif how == 'back' then
      lines = string.gsub(lines, 'sitter (%d+) %S+ %d+ (%d+)\n', function(whose, till)
        if whose == seat and till == holder then return '' end
      end)
    elseif how == 'refused' or how == 'withdrawn' then
      lines = string.gsub(lines, 'wish (%d+) (%S+)\n', function(whose, who)
        if whose == seat then return how == 'refused' and 'refused ' .. seat .. ' ' .. who .. '\n' or '' end
      end)
    else
      lines = string.gsub(lines, '(%a+) (%d+) ?([^ \n]*)[^\n]*\n', function(word, whose, who)
        if word == 'sitter' and who == holder then return '' end
        if whose == seat and word ~= 'was' and (word ~= 'since' or how == 'taken') then return '' end
      end)
    end
    if how == 'vacant' then lines = lines .. 'vacant ' .. seat .. ' ' .. since .. '\n' end
    if how == 'taken' then
      lines = lines .. 'since ' .. seat .. ' ' .. since .. '\n'
      local place = 0
      chairs = string.gsub(chairs, '(%S*)( %S*\n)', function(who, added)
        place = place + 1
        if place ~= tonumber(seat) then return nil end
        if holder == '' then holder = who end
        local made_of = who ~= holder and redis.call('HGET', meta, 't' .. seat)
        if made_of then
          lines = lines .. 'was ' .. seat .. ' ' .. who .. ' ' .. made_of .. '\n'
          redis.call('HDEL', meta, 't' .. seat)
        end
        return holder .. added
      end)
    end
  end
  seating = 'rev ' .. seats .. '\n' .. lines
  change('seating', seating)
  change('chairs', chairs)
  if over ~= '1' then
    local free = string.find(seating, '\nvacant ', 1, true)
    for place = 17, #KEYS do
      if free then redis.call('ZADD', KEYS[place], made, game) else redis.call('ZREM', KEYS[place], game) end
    end
  end
end

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
  -- These would have waited, which is what is over for them.
  for i = of_nexts, of_pauses - 1, 2 do redis.call('HSET', ids, ARGV[i], 'p') end
  released = 1
  for place = seating and 17 or 19, #KEYS do
    if place < 21 then redis.call('ZREM', KEYS[place], game) else redis.call('ZADD', KEYS[place], made, game) end
  end
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
  -- The deadline of a question for which a plan waits, or has still something to say, comes after the plan.
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
  -- Where the turn is over, the rest of a plan that waited in it is submitted all the same: it is refused, and says so.
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
    -- Behind all that has become due: it could not have been sent before this was settled.
    redis.call('HSET', ids, ARGV[i], 'p')
    submit(ARGV[i + 1])
  end
  -- The plan whose question stands is played: it is a list like any other from here on. Whoever laid it sits there yet.
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
      -- What SYSTEM has to say at once comes before it, and what a list has still to say.
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
-- Who is told of them can say what they came of; nobody is told of more than the last few at a time.
if listening and requests ~= '' then
  local lines = {}
  for line in string.gmatch(requests .. (causes or ''), '[^\n]+\n') do
    if #lines < 8 then lines[#lines + 1] = line end
  end
  change('requests', table.concat(lines))
end
redis.call('HSET', meta, unpack(changed))
-- Its head is to be logged; what was played elsewhere is no head of this service.
if ARGV[of_commits] ~= '0-0' then redis.call('SADD', moved, game) end
if seats > 0 then redis.call('PUBLISH', revoked, 'seats:' .. game .. ':' .. seats) end
-- Who is owed something already is told of this with it, and who is being told looks again when that is done.
local owed = 0
if listening then
  local words = {}
  for subscription in string.gmatch(listening, '%S+') do
    words[#words + 1] = now()
    words[#words + 1] = game .. ' ' .. subscription
  end
  local added = #words > 0 and redis.pcall('ZADD', outbox, 'NX', unpack(words)) or 0
  if type(added) == 'table' then
    -- Whatever stood in its place was no outbox, and play goes on; `listen` finds who has not been told.
    redis.call('DEL', outbox)
    added = redis.call('ZADD', outbox, unpack(words))
  end
  if added > 0 then owed = 4 end
end
-- Who waits for one of them hears the whole of it; these news say so, and then wake nobody who waits for a command.
for i = of_commits, of_views - 1, 6 do
  local tell = ARGV[i + 4]
  if tell ~= '' then
    redis.call('PUBLISH', tell, ARGV[i + 1] .. ARGV[i + 5] .. before + 1 + (i - of_commits) / 6 .. ' ' .. ARGV[i + 2])
  end
end
redis.call('PUBLISH', channel, game .. ' ' .. seq .. ' told')
return {released + (watched and tonumber(watched) > tonumber(at) and 2 or 0) + owed, now()}
