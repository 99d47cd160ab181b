-- Removes a reply that turned out to be none, unless another stands there meanwhile. ARGV: key, its body
local name = p .. ':reply:' .. ARGV[1]
if redis.call('HGET', name, 'body') == ARGV[2] then redis.call('DEL', name) end
return { 'ok' }
