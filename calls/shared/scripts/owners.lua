-- The owners of attempts in flight: a name, then 1 if that owner has been silent for too long or else 0; and so on. ARGV: grace in ms
local found, named = {}, {}
for _, held in ipairs(redis.call('HVALS', p .. ':open')) do
  local owner = unpacked(held).owner
  if not named[owner] then
    named[owner] = true
    found[#found + 1] = owner
    found[#found + 1] = is_silent(owner, tonumber(ARGV[1])) and 1 or 0
  end
end
return found
