"""A world of a dozen things, written as truth.jsonl: what the reader's tests read about."""

import json
from pathlib import Path

CLASSES = {
    "bridge": ["arch bridge", "bridge", "architectural structure"],
    "person": ["human", "person"],
    "town": ["town", "human settlement"],
    "river": ["river", "watercourse"],
    "district": ["district", "administrative territorial entity"],
    "lighthouse": ["lighthouse", "tower", "architectural structure"],
    "painting": ["painting", "visual artwork", "work of art"],
    "museum": ["art museum", "museum", "institution"],
    "taxon": ["taxon"],
}
VALUES = {"Q6581097": "male", "Q6581072": "female", "Q301": "Plain Style", "Q165": "sea"}
"""Labels of what has no line of its own."""


def thing(
    id_: str,
    kind: str,
    label: str,
    *claims: tuple[str, str],
    pictures: tuple[str, ...] = (),
    details: tuple[dict, ...] = (),
    aliases: tuple[str, ...] = (),
) -> dict:
    """One line of truth.jsonl; claims are (property, value's key)."""
    return {
        "id": id_,
        "kind": kind,
        "label": label,
        "labels": {},
        "aliases": {"en": list(aliases)},
        "class": f"class of {kind}",
        "class_labels": CLASSES[kind],
        "claims": [[p, key, VALUES.get(key, key.split(":")[-1]), True] for p, key in claims],
        "told": [],
        "details": list(details),
        "pictures": list(pictures),
        "article": label,
    }


def plaque(picture: str, text: str) -> dict:
    return {
        "picture": picture,
        "property": "P1684",
        "part": "Q721747",
        "value": f"monolingual:en:{text}",
        "readable": text,
    }


THINGS = [
    thing(
        "Q1",
        "bridge",
        "Old Bridge",
        ("P84", "Q2"),
        ("P571", "time:+1850/9"),
        ("P131", "Q4"),
        ("P177", "Q5"),
        ("P2043", "quantity:120:Q11573"),
        ("P138", "Q2"),
        pictures=("old.jpg",),
        details=(plaque("old.jpg", "Erected 1851"),),
    ),
    thing(
        "Q2",
        "person",
        "Ivo Mersk",
        ("P569", "time:+1812-05-03/11"),
        ("P570", "time:+1880-05-02/11"),
        ("P19", "Q4"),
        ("P22", "Q3"),
        ("P1066", "Q10"),
        ("P1449", "monolingual:en:Old Thunder"),
        ("P3909", "monolingual:en:Sell the piano"),
        ("P1429", "Q4"),
        ("P21", "Q6581097"),
        pictures=("ivo.jpg",),
        aliases=("I. Mersk",),
    ),
    thing(
        "Q3",
        "person",
        "Ansgar Mersk",
        ("P569", "time:+1780/9"),
        ("P20", "Q9"),
        ("P21", "Q6581097"),
    ),
    thing(
        "Q4",
        "town",
        "Karsk",
        ("P131", "Q6"),
        ("P571", "time:+1500/9"),
        ("P2044", "quantity:12:Q11573"),
    ),
    thing("Q5", "river", "Vell", ("P2043", "quantity:90:Q828224"), ("P131", "Q6")),
    thing("Q6", "district", "Low District", ("P2046", "quantity:325:Q712226")),
    thing(
        "Q7",
        "lighthouse",
        "North Light",
        ("P84", "Q2"),
        ("P571", "time:+1868/9"),
        ("P1619", "time:+1870-06-01/11"),
        ("P2048", "quantity:35:Q11573"),
        ("P131", "Q6"),
        pictures=("north.jpg",),
    ),
    thing(
        "Q8",
        "lighthouse",
        "South Light",
        ("P84", "Q10"),
        ("P571", "time:+1890/9"),
        ("P2048", "quantity:49:Q11573"),
        ("P131", "Q6"),
        ("P149", "Q301"),
    ),
    thing("Q9", "town", "Orla", ("P571", "time:+1610/9")),
    thing(
        "Q10",
        "person",
        "Runa Feld",
        ("P569", "time:+1790-01-30/11"),
        ("P19", "Q9"),
        ("P21", "Q6581072"),
    ),
    thing(
        "Q11",
        "painting",
        "Still Life",
        ("P170", "Q10"),
        ("P195", "Q13"),
        ("P276", "Q13"),
        ("P180", "Q89"),
        pictures=("still.jpg",),
    ),
    thing("Q12", "painting", "Still Life", ("P170", "Q3"), ("P195", "Q13"), ("P276", "Q13")),
    thing("Q13", "museum", "Orla Museum", ("P131", "Q9"), ("P1619", "time:+1900-02-03/11")),
    thing("Q14", "taxon", "Velliola", ("P105", "Q34740")),
    thing(
        "Q15",
        "taxon",
        "Vell wren",
        ("P105", "Q7432"),
        ("P171", "Q14"),
        ("P61", "Q10"),
        ("P2043", "quantity:31:Q174728"),
    ),
    thing("Q16", "bridge", "Twin Bridge", ("P84", "Q17"), ("P131", "Q9")),
    thing("Q17", "person", "Ansgar Mersk", ("P569", "time:+1805/9")),
]


def write_tiny_world(folder: Path, things: list[dict] | None = None) -> Path:
    """Writes the world; each picture's bytes are its name."""
    (folder / "images").mkdir(parents=True)
    rows = THINGS if things is None else things
    (folder / "truth.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )
    (folder / "world.json").write_text('{"gaps": 0}', encoding="utf-8")
    for row in rows:
        for picture in row["pictures"]:
            (folder / "images" / picture).write_bytes(picture.encode())
    return folder
