-- Decides about a request; if it is in flight, the answer names its owner. A command sent twice with the same attempt id (after a broken
-- connection) gives the same answer and reserves once.
-- ARGV: key, attempt id, owner, id of the data, lease in ms, grace in ms, cost in money and tokens, row,
--       limits of money, tokens and calls ("" for none)
local key, id, owner, data, row = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[9]
local lease, grace, money, tokens = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
if redis.call('GET', p .. ':id') ~= data then return { 'gone' } end

local reply = redis.call('HMGET', p .. ':reply:' .. key, 'body', 'tokens_in', 'tokens_out', 'estimated')
if reply[1] then return { 'hit', reply[1], reply[2], reply[3], reply[4] } end

local held = redis.call('HGET', p .. ':open', key)
if held then
  local attempt = unpacked(held)
  if attempt.id == id then return { 'send' } end
  if not is_over(attempt) then return { 'busy', attempt.owner, is_silent(attempt.owner, grace) and 1 or 0 } end
  lose(key, attempt)
end

local spent = redis.call('HMGET', p .. ':spent', 'money', 'tokens', 'calls')
-- The number of the limit that the sums exceed with this cost added, without the calls in flight; 0 for none. A sum of prices may miss an
-- exact limit by its last digits.
local function breach(flying_money, flying_tokens, flying_calls)
  local sums = { tonumber(spent[1] or 0) - flying_money + money, tonumber(spent[2] or 0) - flying_tokens + tokens, tonumber(spent[3] or 0) - flying_calls + 1 }
  for i = 1, 3 do
    local limit = tonumber(ARGV[9 + i])
    if limit and sums[i] > limit * (1 + 1e-12) then return i end
  end
  return 0
end

local limit = breach(0, 0, 0)
if limit > 0 then
  if breach(sweep({})) > 0 then return { 'exceeded', tostring(limit) } end
  return { 'full', tostring(limit) }
end

redis.call('HSET', p .. ':open', key, string.format('%s %s %.0f %s %s ', id, owner, now() + lease, ARGV[7], ARGV[8]) .. row)
redis.call('HINCRBYFLOAT', p .. ':spent', 'money', ARGV[7])
redis.call('HINCRBY', p .. ':spent', 'tokens', ARGV[8])
redis.call('HINCRBY', p .. ':spent', 'calls', 1)
return { 'send' }
