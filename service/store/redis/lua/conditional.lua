-- Execute commands on keys of one partition, if others still return what the caller has read.
-- KEYS all of them
-- ARGV number of reads; for each of them its reply, number of parts, and parts; then for each write number of parts, and
--      parts. Parts of a reply are joined by line feeds, and what is missing is ''.
-- Returns 1, or 0 if a reply is another one.
local place = 2
local function command()
  local first = place + 1
  place = first + ARGV[place]
  return unpack(ARGV, first, place - 1)
end
local function joined(reply)
  if type(reply) ~= 'table' then return tostring(reply or '') end
  local parts = {}
  for number, part in ipairs(reply) do parts[number] = joined(part) end
  return table.concat(parts, '\n')
end
for _ = 1, ARGV[1] do
  local expected = ARGV[place]
  place = place + 1
  if joined(redis.call(command())) ~= expected then return 0 end
end
while place <= #ARGV do redis.call(command()) end
return 1
