-- This text precedes each script that handles attempts. Its keys:
--   id              the id of the data; missing if the server lost them
--   reply:KEY       hash: body, tokens_in, tokens_out, estimated
--   open            hash: KEY -> "ID OWNER LEASE MONEY TOKENS ROW", the attempts in flight; ROW is the ledger row as JSON
--   lost            hash: ID -> ROW, attempts whose owner died, or whose time ran out
--   ledger          list of ROWs, the attempts that ended
--   spent           hash: money, tokens, calls; the sums over open, lost and ledger
--   alive:OWNER     exists while its process does (it expires)

local function unpacked(held)
  local id, owner, lease, money, tokens, row = string.match(held, '^(%S+) (%S+) (%S+) (%S+) (%S+) (.*)$')
  return { id = id, owner = owner, lease = tonumber(lease), money = tonumber(money), tokens = tonumber(tokens), row = row }
end

-- A restarted server has lost the signs of life that expired while it was down: owners get time to renew them.
local function just_started(grace)
  local seconds = string.match(redis.call('INFO', 'server'), 'uptime_in_seconds:(%d+)')
  return seconds ~= nil and tonumber(seconds) * 1000 < grace
end

-- Whether an owner has been silent for too long. The caller decides what this means, since it may see the process.
local function is_silent(owner, grace)
  return redis.call('EXISTS', p .. ':alive:' .. owner) == 0 and not just_started(grace)
end

local function is_over(attempt)
  return attempt.lease <= now()
end

local function lose(key, attempt)
  redis.call('HDEL', p .. ':open', key)
  redis.call('HSET', p .. ':lost', attempt.id, attempt.row)
end

-- Marks as lost the attempts of the named owners and those whose time ran out. Returns the sums of the other attempts in flight.
local function sweep(gone)
  local all, money, tokens, calls = redis.call('HGETALL', p .. ':open'), 0, 0, 0
  for i = 1, #all, 2 do
    local attempt = unpacked(all[i + 1])
    if gone[attempt.owner] or is_over(attempt) then
      lose(all[i], attempt)
    else
      money, tokens, calls = money + attempt.money, tokens + attempt.tokens, calls + 1
    end
  end
  return money, tokens, calls
end
