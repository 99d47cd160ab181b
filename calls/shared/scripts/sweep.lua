-- Marks as lost the attempts of dead owners, and those whose time ran out. ARGV: the owners
local gone = {}
for _, owner in ipairs(ARGV) do gone[owner] = true end
sweep(gone)
return { 'ok' }
