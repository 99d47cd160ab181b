"""Floor 0: what is passed on. Ids, typed records and their Arrow schemas, reasons, errors."""
