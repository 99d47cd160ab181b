-- Removes an invalid reply, unless another reply has replaced it. ARGV: key, the invalid body
local name = p .. ':reply:' .. ARGV[1]
if redis.call('HGET', name, 'body') == ARGV[2] then redis.call('DEL', name) end
return { 'ok' }
