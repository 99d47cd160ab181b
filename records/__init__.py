"""Records are the data that the other folders of the project pass to each other. The folder defines
ids, typed records with Arrow schemas, reasons and errors."""
