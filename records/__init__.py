"""Records are what the other folders pass to each other. Ids, typed records with Arrow schemas, reasons, errors."""
