-- Marks the attempts of owners that are gone, and those whose time is over, as lost. ARGV: the owners
local gone = {}
for _, owner in ipairs(ARGV) do gone[owner] = true end
sweep(gone)
return { 'ok' }
