"""Items as a dump of Wikidata has them, for the tests of slices."""


def thing(number: int, kind: str, *, page: bool = True, dead: bool = False) -> dict:
    """An item with a class, and with an article and a date of death where they are wanted."""
    said = {"mainsnak": {"datavalue": {"value": {"id": kind}}}}
    links = {"enwiki": {"title": f"Page {number}"}} if page else {}
    claims = {"P31": [said]} | ({"P570": [{}]} if dead else {})
    return {"id": f"Q{number}", "claims": claims, "sitelinks": links}
