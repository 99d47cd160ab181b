-- One lane: how many calls to one (provider, model) may be in flight over all workers, and when the next may start.
-- Everything a worker says is absolute (it holds so many, it wants so many more), so that a message sent twice does no harm.
-- ARGV: pair, worker, calls in flight, calls that wait, replies since the last message,
--       when the last call that met overload (5xx, timeout) and the last that met a 429 had started (0: none),
--       ms for which nobody may start (0: none), most calls in flight, most starts a second (0: no limit),
--       ms that a worker's slots stand without news of it, ms of starts that are given out ahead,
--       calls in flight in the beginning, how much the replies widen (or narrow) the window
local lane, slots = p .. ':lane:' .. ARGV[1], p .. ':slots:' .. ARGV[1]
local worker, held, waiting, replied = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local overloaded_at, limited_at, pause = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local most, most_rate, life, ahead = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11]), tonumber(ARGV[12])
local first, wider = tonumber(ARGV[13]), tonumber(ARGV[14])
local t = now()

local names = { 'began', 'window', 'cut', 'rate', 'ceiling', 'since', 'span', 'next', 'closed', 'second', 'count', 'before', 'doubles' }
local s = {}
for i, value in ipairs(redis.call('HMGET', lane, unpack(names))) do s[names[i]] = tonumber(value or 0) end
if s.began == 0 then
  s.began, s.window, s.rate = t, first, math.max(32, most)
  s.doubles = first < most and most or 0
end

-- Replies over the last second: this clock second's, and of the one before the part that is not yet a second old.
local second = math.floor(t / 1000)
if second ~= s.second then
  s.before = (second == s.second + 1) and s.count or 0
  s.second, s.count = second, 0
end
s.count = s.count + replied
local lately = s.count + s.before * (1 - (t / 1000 - second))

-- The window: twice as many a window of replies in the beginning, then one more; half after overload, once for all calls that were in flight together.
if wider > 0 and s.window >= s.doubles then wider = wider / s.window end
s.window = math.max(1, math.min(most, s.window + wider))
if overloaded_at > s.cut then
  s.window, s.cut = math.max(1, s.window / 2), t
  s.doubles = s.window
end

-- The rate. Until the first 429 it grows by one a reply (e-fold a second), from what is really replied. A 429 tells the limit: what
-- was replied in the last second. Then it starts 3 % below, comes back, stays about there for long and goes on past it
-- ever faster (a cubic, as in RFC 9438), to find a limit that has risen. Each 429 that finds the limit where it was makes
-- the next look come later.
-- Seconds that scale the cubic: the least, and the most where a look costs a few refusals or a whole pause.
local LEAST, MOST, MOST_PAUSED, BELOW = 2, 24, 96, 0.03
local function cubic()
  local x = (t - s.since) / 1000 / s.span - BELOW ^ (1 / 3)
  return 1 + x * x * x
end
if s.ceiling == 0 then
  s.rate = math.max(s.rate, math.min(s.rate + replied, 4 * lately))
else
  s.rate = math.min(s.ceiling * cubic(), math.max(s.ceiling, 1.2 * lately + 10))
end
if limited_at > s.since then
  -- While the rate grows, replies lag behind it: the limit lies between the two.
  local found = s.ceiling == 0 and math.min(s.rate, 1.1 * lately) or math.max(s.rate / 2, (s.rate + math.min(s.rate, lately)) / 2)
  if s.ceiling == 0 or math.abs(found / s.ceiling - 1) > 0.2 then
    s.ceiling, s.span = math.max(1, found), LEAST
  else
    -- One refusal below the known limit is mostly a jam on the way that let many arrive at once.
    s.ceiling = math.max(found, 0.75 * s.ceiling + 0.25 * found)
    -- Sooner than in a second it is the same limit, met by what had started before.
    if t - s.since > 1000 then s.span = math.min(pause > 0 and MOST_PAUSED or MOST, 4 * s.span) end
  end
  s.since = t
  s.rate = s.ceiling * (1 - BELOW)
  -- What was replied within this second counts against it.
  local elapsed = math.min(1000, t - s.began)
  s.next = math.max(s.next, t + math.max(0, lately / s.rate * 1000 - elapsed))
end
local rate = most_rate > 0 and math.min(most_rate, s.rate) or s.rate
if most_rate > 0 and s.ceiling == 0 then rate = most_rate end
if pause > 0 then s.closed = math.max(s.closed, t + pause) end

-- Slots: what the window leaves after what others hold, and after their fair share of it where they want it.
local others, active, mine_since = {}, 1, t
local all = redis.call('HGETALL', slots)
for i = 1, #all, 2 do
  local stamp, has, wants, since = string.match(all[i + 1], '^(%S+) (%S+) (%S+) (%S+)$')
  stamp, has, wants, since = tonumber(stamp), tonumber(has), tonumber(wants), tonumber(since)
  if all[i] == worker then
    if has == 0 and wants > 0 then mine_since = since end
  elseif t - stamp > life then
    redis.call('HDEL', slots, all[i])
  else
    if t - stamp > 1500 then wants = 0 end -- who waits asks more often than that
    others[#others + 1] = { has = has, wants = wants, since = since }
    if has + wants > 0 then active = active + 1 end
  end
end
local share, taken = math.floor(s.window / active), 0
for _, other in ipairs(others) do
  local due = math.max(other.has, math.min(share, other.has + other.wants))
  -- Fewer slots than workers: who has none goes before those who have, and the one that waits longest first.
  if due == 0 and other.wants > 0 and (held > 0 or other.since < mine_since) then due = 1 end
  taken = taken + due
end
local allowed = math.max(0, math.min(held + waiting, math.floor(s.window) - taken))
local has = math.max(held, allowed)
if has + waiting == 0 then
  redis.call('HDEL', slots, worker)
else
  redis.call('HSET', slots, worker, string.format('%.3f %d %d %.3f', t, has, waiting, mine_since))
end

-- Starts, evenly spaced at the rate. What a short jam of the workers cost is made up for, except at a rate that the user states.
local starts, begin, wait = math.max(0, math.min(waiting, allowed - held)), 0, 20
if t < s.closed then
  starts, wait = 0, s.closed - t
elseif starts > 0 then
  s.next = math.max(s.next, most_rate == 0 and t - ahead / 2 or t)
  starts = math.max(0, math.min(starts, math.floor((t + ahead - s.next) * rate / 1000) + 1))
  if s.next > t + ahead then starts = 0 end
  begin = s.next
  s.next = s.next + starts * 1000 / rate
  if starts < waiting then wait = math.max(1, math.min(20, s.next - ahead / 2 - t)) end
end

local fields = {}
for _, name in ipairs(names) do
  fields[#fields + 1] = name
  fields[#fields + 1] = string.format('%.17g', s[name])
end
redis.call('HSET', lane, unpack(fields))
redis.call('PEXPIRE', lane, string.format('%.0f', math.max(600000, s.closed - t)))
redis.call('PEXPIRE', slots, 600000)
return { string.format('%.3f', t), tostring(allowed), tostring(starts), string.format('%.3f', begin), string.format('%.6f', 1000 / rate),
         string.format('%.3f', wait), string.format('%.3f', s.window), string.format('%.3f', rate) }
