-- One lane: the number of calls to one (provider, model) in flight over all workers, and when the next may start.
-- A worker reports absolute numbers (slots held, slots wanted), so that a message sent twice does no harm.
-- ARGV: pair, worker, calls in flight, calls that wait, replies since the last message,
--       start time of the last call with overload (5xx, timeout), start time of the last call with a 429 (0: none),
--       ms during which no call may start (0: none), most calls in flight, most starts per second (0: no limit),
--       ms after which a silent worker's slots expire, ms by which starts are given out early,
--       calls in flight at first, amount by which the replies widen (or narrow) the window
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

-- Replies of the last second: those of this clock second, and a share of those of the clock second before.
local second = math.floor(t / 1000)
if second ~= s.second then
  s.before = (second == s.second + 1) and s.count or 0
  s.second, s.count = second, 0
end
s.count = s.count + replied
local lately = s.count + s.before * (1 - (t / 1000 - second))

-- The window. At first a full window of replies doubles it, later adds one. Overload halves it, once for all calls in flight together.
if wider > 0 and s.window >= s.doubles then wider = wider / s.window end
s.window = math.max(1, math.min(most, s.window + wider))
if overloaded_at > s.cut then
  s.window, s.cut = math.max(1, s.window / 2), t
  s.doubles = s.window
end

-- The rate. Until the first 429 it grows by one per reply (e-fold per second), based on actual replies. At a 429 the replies of the
-- last second are taken as the limit. The rate then starts 3 % below, returns to the limit, stays there for long, and then
-- rises faster and faster (a cubic, as in RFC 9438), to find a higher limit. Each 429 at an unchanged limit delays the next
-- attempt to rise.
-- Seconds that scale the cubic: the least, and the most if an attempt to rise costs a few refusals or a whole pause.
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
  -- While the rate grows, the replies lag behind: the limit lies between the two.
  local found = s.ceiling == 0 and math.min(s.rate, 1.1 * lately) or math.max(s.rate / 2, (s.rate + math.min(s.rate, lately)) / 2)
  if s.ceiling == 0 or math.abs(found / s.ceiling - 1) > 0.2 then
    s.ceiling, s.span = math.max(1, found), LEAST
  else
    -- A single refusal below the known limit usually comes from a network jam that let many calls arrive at once.
    s.ceiling = math.max(found, 0.75 * s.ceiling + 0.25 * found)
    -- A 429 within a second concerns the same limit: its call had started before.
    if t - s.since > 1000 then s.span = math.min(pause > 0 and MOST_PAUSED or MOST, 4 * s.span) end
  end
  s.since = t
  s.rate = s.ceiling * (1 - BELOW)
  -- Replies within this second count against the limit.
  local elapsed = math.min(1000, t - s.began)
  s.next = math.max(s.next, t + math.max(0, lately / s.rate * 1000 - elapsed))
end
local rate = most_rate > 0 and math.min(most_rate, s.rate) or s.rate
if most_rate > 0 and s.ceiling == 0 then rate = most_rate end
if pause > 0 then s.closed = math.max(s.closed, t + pause) end

-- Slots: the window minus the slots that others hold, and minus the fair shares that others want.
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
    if t - stamp > 1500 then wants = 0 end -- a waiting worker asks more often than that
    others[#others + 1] = { has = has, wants = wants, since = since }
    if has + wants > 0 then active = active + 1 end
  end
end
local share, taken = math.floor(s.window / active), 0
for _, other in ipairs(others) do
  local due = math.max(other.has, math.min(share, other.has + other.wants))
  -- Fewer slots than workers: workers without a slot come first, the longest-waiting one at the front.
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

-- Starts, evenly spaced at the rate. Starts lost by a short jam of the workers are made up for, except at a rate that the user states.
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
