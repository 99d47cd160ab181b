-- ARGV: grace in ms. Marks the attempts of dead owners as lost.
sweep(tonumber(ARGV[1]))
return { 'ok' }
