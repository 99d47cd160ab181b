-- Ends an attempt, in flight or marked as lost, and stores its reply. A command that is sent twice counts once.
-- ARGV: key, attempt id, id of the data, row, reserved cost (money, tokens), real cost (money, tokens, calls),
--       and if there is a reply: body, tokens_in, tokens_out, estimated
local key, id, has_reply = ARGV[1], ARGV[2], ARGV[10] ~= nil
if redis.call('GET', p .. ':id') ~= ARGV[3] then return { 'gone' } end

local held = redis.call('HGET', p .. ':open', key)
local reserved = 1
if held and unpacked(held).id == id then
  redis.call('HDEL', p .. ':open', key)
elseif redis.call('HDEL', p .. ':lost', id) == 0 then
  -- The attempt was settled before, or the server returned to an older snapshot without attempt and reply.
  if not has_reply or redis.call('EXISTS', p .. ':reply:' .. key) == 1 then return { 'ok' } end
  reserved = 0
end
redis.call('RPUSH', p .. ':ledger', ARGV[4])
redis.call('HINCRBYFLOAT', p .. ':spent', 'money', string.format('%.17g', tonumber(ARGV[7]) - reserved * tonumber(ARGV[5])))
redis.call('HINCRBY', p .. ':spent', 'tokens', string.format('%.0f', tonumber(ARGV[8]) - reserved * tonumber(ARGV[6])))
redis.call('HINCRBY', p .. ':spent', 'calls', string.format('%.0f', tonumber(ARGV[9]) - reserved))
if has_reply and redis.call('EXISTS', p .. ':reply:' .. key) == 0 then
  redis.call('HSET', p .. ':reply:' .. key, 'body', ARGV[10], 'tokens_in', ARGV[11], 'tokens_out', ARGV[12], 'estimated', ARGV[13])
end
return { 'ok' }
