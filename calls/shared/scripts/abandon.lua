-- Undoes the start of an attempt whose request was never sent. ARGV: key, attempt id
local held = redis.call('HGET', p .. ':open', ARGV[1])
if held and unpacked(held).id == ARGV[2] then
  local attempt = unpacked(held)
  redis.call('HDEL', p .. ':open', ARGV[1])
  redis.call('HINCRBYFLOAT', p .. ':spent', 'money', string.format('%.17g', 0 - attempt.money))
  redis.call('HINCRBY', p .. ':spent', 'tokens', string.format('%.0f', 0 - attempt.tokens))
  redis.call('HINCRBY', p .. ':spent', 'calls', -1)
end
return { 'ok' }
