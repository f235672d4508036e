-- Append commits of one game, all of them or none, with what must be true together with them.
-- KEYS `meta commands commits ids views snapshots ready leases claims due holders aside marks changes`
-- ARGV a JSON document, then binary values, which the document names by their places in ARGV. The document:
--   game; before, previous (seq and head before the first commit); head, at (of the last one); news (a channel)
--   commits: entry in the stream ('' if it was never there, '0-0' if imported), field in ids, packed, and if any:
--     snapshot, tell (the channel of a waiting client), more ('+': its list goes on, else '.')
--   fields (of meta), views: names and places; over: the game ends; requests: ids of the requests that caused commits
--   waited, latest: number of entries when the stream was read, and the newest; say: letter and question of what is due;
--   follow: field, document and count of each list's next command; timers: letter, question, instant of each deadline;
--   lease (score, or ''); clean: no earlier claim failed; done: release it if nothing waits; asked: fields of meta
-- Returns -1 if the log is elsewhere or a submission waits no longer; -2 if others wait, or the id of one that was never
-- in the stream is known; else {bits, now, entry in changes, asked fields before it}: 1 it was released, 2 it is watched.
local meta, commands, commits, ids, views, snapshots, ready, leases, claims, due, holders, aside, marks, changes = unpack(KEYS)
local it, time = cjson.decode(ARGV[1]), redis.call('TIME')
local game, now = it.game, time[1] * 1000 + math.floor(time[2] / 1000)
local function whole(number) return string.format('%.0f', number) end
local found = redis.call('HMGET', meta, 'seq', 'head', 'due', 'watched', 'holds', unpack(it.asked))
local stood, last, was, watched, holds = unpack(found)
if tonumber(stood or 0) ~= it.before or (last or string.rep('0', 64)) ~= it.previous then return -1 end
local fields, entries = {}, {}
for place, commit in ipairs(it.commits) do
  fields[place] = ARGV[commit.field]
  if commit.entry ~= '' then entries[#entries + 1] = commit.entry end
end
local known, queue, waiting = redis.call('HMGET', ids, unpack(fields)), redis.call('XRANGE', commands, '-', '+'), {}
local stands, newest = #queue, queue[#queue] and queue[#queue][1]
for _, each in ipairs(queue) do waiting[each[1]] = true end
for place, commit in ipairs(it.commits) do
  if commit.entry == '' and known[place] then return -2 end
  if known[place] and string.sub(known[place], -1) ~= 'p' then return -1 end
  -- An entry that is missing now was lost with a killed server (see submit.lua), and perhaps accepted again.
  if waiting[commit.entry] then stands, waiting[commit.entry] = stands - 1, nil
  elseif commit.entry ~= '' and commit.entry ~= '0-0' then return -1 end
end
-- Commands that arrived in the meantime come before those that were never in the stream.
if #entries < #fields and (#queue ~= it.waited or newest ~= it.latest) then return -2 end

-- Views and snapshots are caches: replace a key of the wrong type.
local function keep(cache, values)
  if #values == 0 or type(redis.pcall('HSET', cache, unpack(values))) == 'number' then return end
  redis.call('DEL', cache) redis.call('HSET', cache, unpack(values))
end
for place, commit in ipairs(it.commits) do -- first, because only this can fail: the stream rejects a seq that exists
  redis.call('XADD', commits, whole(it.before + place) .. '-0', 'c', ARGV[commit.packed])
end
local seq, settled, changed, shown = whole(it.before + #fields), {}, {'head', it.head}, {}
for place, commit in ipairs(it.commits) do
  settled[2 * place - 1], settled[2 * place] = fields[place], string.sub(known[place] or '', 1, -2) .. whole(it.before + place)
  if commit.snapshot then keep(snapshots, {whole(it.before + place), ARGV[commit.snapshot]}) end
end
redis.call('HSET', ids, unpack(settled))
for field, place in pairs(it.views) do shown[#shown + 1], shown[#shown + 2] = field, ARGV[place] end
keep(views, shown)
for name, place in pairs(it.fields) do changed[#changed + 1], changed[#changed + 2] = name, ARGV[place] end

-- Timers: removed ones leave the set, unchanged ones stay untouched, and what is due is submitted at once. If the clock
-- was set back, `at` is ahead of it: bots wait as long as before, players until both clocks agree.
local lead, gone, left = math.max(0, it.at - now), {}, {}
local function is_held(letter, question) -- a follower may answer for this seat, and gets a second to do so
  local seat = letter == 'd' and string.match(question, '^%d+:%d+:(%d+)')
  return seat and string.find(' ' .. (holds or '') .. ' ', ' ' .. seat .. ' ', 1, true)
end
for member, instant in string.gmatch(was or '', '(%S+ %S+) (%S+)') do gone[member] = instant end
for _, timer in ipairs(it.over and {} or it.timers) do
  local letter, question, instant = unpack(timer)
  if letter ~= 'd' then instant = instant - lead end
  local waits, member = timer[3] > it.at and instant > now + (letter == 'd' and lead or 0), letter .. ' ' .. question
  if not waits and is_held(letter, question) then waits, instant = true, math.max(now, it.at) + 1000 end
  if waits then
    left[#left + 1] = member .. ' ' .. whole(instant)
    if gone[member] ~= whole(instant) then redis.call('ZADD', due, whole(instant), game .. ' ' .. member) end
    gone[member] = nil
  else
    table.insert(it.say, {letter == 't' and 'b' or letter, question}) -- t: a search that took too long for its bot
  end
end
for member in pairs(gone) do redis.call('ZREM', due, game .. ' ' .. member) end
redis.call('HSET', meta, 'seq', seq, 'due', table.concat(left, ' '), unpack(changed))

local held, released = tonumber(redis.call('ZSCORE', leases, game) or 0), 0
local mine = held > 0 and held == tonumber(it.lease)
if not mine or not it.clean then -- this commit ends what earlier claims have left
  redis.call('HDEL', claims, game)
  redis.call('SREM', aside, game)
end
local function submit(document, count)
  redis.call('XADD', commands, '*', 'd', document, 't', whole(math.max(now, it.at)), unpack(count > 1 and {'n', count} or {}))
  stands = stands + 1
end
for _, each in ipairs(it.over and {} or it.say) do
  if not is_held(unpack(each)) and redis.call('HSETNX', ids, each[1] .. each[2], 'p') == 1 then
    submit(string.format('{"id":"%s:%s:%s","seat":0,"command":{"type":"%s","question":"%s"},"expected":null,"credential":null}',
      each[1] == 'b' and 'bot' or 'due', game, each[2], each[1] == 'b' and 'act' or 'expire', string.match(each[2], '[^@]*')), 1)
  end
end
for _, list in ipairs(it.follow) do
  redis.call('HSET', ids, ARGV[list.field], 'p')
  if not it.over then submit(ARGV[list.document], list.count) end
end
if it.over or stands == 0 then redis.call('DEL', commands) else redis.call('XDEL', commands, '0-0', unpack(entries)) end
if it.over or (stands == 0 and not mine) then redis.call('ZREM', ready, game) end
if it.over or (stands == 0 and mine and it.done) then
  redis.call('ZREM', leases, game)
  released = 1
elseif stands > 0 and math.floor(held) <= now then
  redis.call('ZADD', ready, 'NX', now, game)
end
if it.over then redis.call('HDEL', holders, game) redis.call('HDEL', marks, game) end
local change = {'g', game, 's', seq, 'n', #fields}
if it.requests ~= '' then change[7], change[8] = 'r', it.requests end
if it.commits[1].entry == '0-0' then change[#change + 1], change[#change + 2] = 'i', 1 end
local function add() return redis.pcall('XADD', changes, '0-*', unpack(change)) end
local entry = add() -- if it is no stream, or is not numbered without gaps, replace it: followers notice
if type(entry) ~= 'string' then redis.call('DEL', changes) entry = add() end
for place, commit in ipairs(it.commits) do
  if commit.tell then redis.call('PUBLISH', commit.tell,
    fields[place] .. commit.more .. whole(it.before + place) .. ' ' .. ARGV[commit.packed]) end
end
redis.call('PUBLISH', it.news, game .. ' ' .. seq .. ' told') -- ` told`: waiting clients got their results above
return {released + (watched and tonumber(watched) > it.at and 2 or 0), now, entry, {unpack(found, 6, 5 + #it.asked)}}
