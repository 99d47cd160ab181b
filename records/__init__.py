"""Floor 0: what the floors pass to each other. Ids, typed records with Arrow schemas, reasons, errors."""
