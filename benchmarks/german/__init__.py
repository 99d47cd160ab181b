"""A German edition of a slice of Wikidata: its entities, its articles, and rules that write questions."""
