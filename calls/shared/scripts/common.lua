-- This text precedes every script. KEYS[1] is the namespace, from which all key names are made. So one server (with its
-- replicas) holds it, not a Redis Cluster. Times are milliseconds of the server's clock: workers' clocks may differ.
local p = KEYS[1]

local function now()
  local t = redis.call('TIME')
  return tonumber(t[1]) * 1000 + tonumber(t[2]) / 1000
end
