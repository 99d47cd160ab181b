"""Questions from Wikipedia, Wikidata and Commons that need a picture and a search to answer."""
