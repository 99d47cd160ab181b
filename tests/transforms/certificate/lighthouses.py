"""A crowd of lighthouses and their architects: the smallest store in which properties are seen to be functional."""

from tests.small_facts import claim, year

LIGHTHOUSE, HUMAN = "Q39715", "Q5"


def crowd(number: int = 60) -> list:
    """Lighthouses with one architect and one opening each, so that both properties are seen to be functional."""
    claims = []
    for i in range(number):
        claims += [
            claim(f"Q1{i:03}", "P31", LIGHTHOUSE),
            claim(f"Q1{i:03}", "P84", f"Q2{i:03}"),
            claim(f"Q1{i:03}", "P571", year(1700 + i)),
            claim(f"Q2{i:03}", "P31", HUMAN),
            claim(f"Q2{i:03}", "P569", year(1660 + i)),
        ]
    return claims
