"""Converts the 5,151 real painting rows into a Wikidata JSON dump with pictures.

    python -m benchmarks.paintings SHARED/paintings OUT [--hide 1] [--seed 0]

The rows contain Wikidata ids only for the paintings. Every other value is an English label. The
script gives each label a new id, far above all ids that Wikidata uses. With `--hide N`, the dump
lacks some claims. In each column, the missing share is N times the share of cells that are empty in
the table. OUT/truth.jsonl always has all claims. The script uses the 19 pictures that the source of
the rows links. The pictures are old enough to be in the public domain.
"""

import argparse
import csv
import gzip
import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from questloom.models.picture_file import decode
from questloom.records.identity import chance

PAINTING = "Q3305213"
COLUMNS = {  # column: (property, its label, class of the values, label of the class)
    "_artist": ("P170", "creator", "Q5", "human"),
    "_country": ("P495", "country of origin", "Q6256", "country"),
    "_depicts": ("P180", "depicts", "", ""),
    "_genre": ("P136", "genre", "Q1792379", "art genre"),
    "_material": ("P186", "made from material", "Q214609", "material"),
    "_movement": ("P135", "movement", "Q968159", "art movement"),
    "_museum": ("P195", "collection", "Q207694", "art museum"),
}
CLASSES = {PAINTING: "painting", **{c: name for _, _, c, name in COLUMNS.values() if c}}
DATE_RATE = 0.03
"""The share of dates that `--hide 1` hides. The value is an assumption, because no date is missing
in the table.
"""
FIRST_MINTED = 990_000_000


def rows_of(folder: Path) -> list[dict[str, str]]:
    """The rows of the table, with one row for each painting."""
    with gzip.open(folder / "paintings.csv.gz", "rt", encoding="utf-8") as file:
        return list({row["id"]: row for row in csv.DictReader(file)}.values())


def values(row: dict[str, str], column: str) -> list[str]:
    """Returns the different values in a column.

    The keywords in a row list the different values of a column one by one. Commas separate the
    values in a cell of the table, but names contain commas too.
    """
    name = column.lstrip("_") + ":"
    parts = re.split(
        r",(?=(?:artist|country|depicts|genre|material|movement|museum):)", row["keywords"]
    )
    return [
        v
        for v in dict.fromkeys(p.removeprefix(name).strip() for p in parts if p.startswith(name))
        if v
    ]


def statement(subject: str, property_id: str, value: dict, kind: str, datatype: str) -> dict:
    """Returns one statement in Wikibase's JSON format."""
    digest = hashlib.sha256(
        json.dumps([subject, property_id, value], sort_keys=True).encode()
    ).hexdigest()[:32]
    snak = {
        "snaktype": "value",
        "property": property_id,
        "datavalue": {"value": value, "type": kind},
        "datatype": datatype,
    }
    return {"mainsnak": snak, "type": "statement", "id": f"{subject}${digest}", "rank": "normal"}


def item_value(qid: str) -> dict:
    return {"entity-type": "item", "numeric-id": int(qid[1:]), "id": qid}


def item(
    qid: str, label: str, description: str, statements: list[dict], sitelinks: dict | None = None
) -> dict:
    claims: dict[str, list[dict]] = {}
    for one in statements:
        claims.setdefault(one["mainsnak"]["property"], []).append(one)
    return {
        "type": "item",
        "id": qid,
        "labels": {"en": {"language": "en", "value": label}},
        "aliases": {},
        "claims": claims,
        "descriptions": {"en": {"language": "en", "value": description}} if description else {},
        "sitelinks": sitelinks or {},
        "lastrevid": 1,
    }


def dump(
    folder: Path, hide: float, seed: int, pictures: dict[str, str]
) -> Iterator[tuple[dict, dict]]:
    """Yields a pair for every painting, value, class and property. The pair holds the entity in the
    dump and all true claims about the entity.
    """
    rows = rows_of(folder)
    rates = {c: hide * sum(not r[c] for r in rows) / len(rows) for c in COLUMNS} | {
        "_creation": hide * DATE_RATE
    }
    minted: dict[str, tuple[str, str]] = {}
    for row in sorted(rows, key=lambda r: r["id"]):
        draw = chance(seed, row["id"], "hide")
        said: list[dict] = [
            statement(row["id"], "P31", item_value(PAINTING), "wikibase-entityid", "wikibase-item")
        ]
        true: list[list[str]] = [["P31", PAINTING]]
        for column, (property_id, _, class_id, _) in COLUMNS.items():
            hidden = draw.random() < rates[column]
            for label in values(row, column):
                # The table capitalises every label; Wikidata's labels of materials and genres are
                # lower case.
                label = (
                    label[:1].lower() + label[1:] if column in ("_material", "_genre") else label
                )
                qid, _ = minted.setdefault(
                    f"{column}:{label}" if column == "_depicts" else f"{class_id}:{label}",
                    (f"Q{FIRST_MINTED + len(minted)}", class_id),
                )
                true.append([property_id, qid])
                if not hidden:
                    said.append(
                        statement(
                            row["id"],
                            property_id,
                            item_value(qid),
                            "wikibase-entityid",
                            "wikibase-item",
                        )
                    )
        year = row["_creation"][:4]
        if year.isdigit() and "-" not in row["_creation"]:
            true.append(["P571", year])
            if draw.random() >= rates["_creation"]:
                time = {
                    "time": f"+{year}-00-00T00:00:00Z",
                    "precision": 9,
                    "timezone": 0,
                    "before": 0,
                    "after": 0,
                    "calendarmodel": "http://www.wikidata.org/entity/Q1985727",
                }
                said.append(statement(row["id"], "P571", time, "time", "time"))
        if row["id"] in pictures:
            said.append(statement(row["id"], "P18", pictures[row["id"]], "string", "commonsMedia"))  # type: ignore[arg-type]
        yield (
            item(row["id"], row["_title"], "painting", said),
            {"id": row["id"], "label": row["_title"], "claims": true},
        )
    for key, (qid, class_id) in minted.items():
        label = key.split(":", 1)[1]
        said = (
            [statement(qid, "P31", item_value(class_id), "wikibase-entityid", "wikibase-item")]
            if class_id
            else []
        )
        yield (
            item(qid, label, CLASSES.get(class_id, ""), said),
            {"id": qid, "label": label, "claims": [["P31", class_id]] if class_id else []},
        )
    for class_id, label in CLASSES.items():
        yield item(class_id, label, "", []), {"id": class_id, "label": label, "claims": []}
    for property_id, label in [
        *((p, name) for p, name, _, _ in COLUMNS.values()),
        ("P571", "inception"),
        ("P31", "instance of"),
        ("P18", "image"),
    ]:
        datatype = {"P571": "time", "P18": "commonsMedia"}.get(property_id, "wikibase-item")
        yield (
            {
                "type": "property",
                "id": property_id,
                "datatype": datatype,
                "labels": {"en": {"language": "en", "value": label}},
                "aliases": {},
                "descriptions": {},
                "claims": {},
                "lastrevid": 1,
            },
            {},
        )


def write_pictures(folder: Path, out: Path) -> dict[str, str]:
    """Writes the linked pictures as a picture folder with metadata; returns file names by
    painting.
    """
    (out / "images").mkdir(parents=True, exist_ok=True)
    found, lines = {}, []
    for number, linked in enumerate(
        json.loads((folder / "linked_images.json").read_text(encoding="utf-8")), 1
    ):
        source = folder / linked["image"]
        name = (linked["commons_p18"] or f"{linked['title']}.jpg").replace("_", " ")
        shutil.copyfile(source, out / "images" / name)
        data = source.read_bytes()
        width, height = decode(data).size
        page = f"https://commons.wikimedia.org/wiki/File:{name.replace(' ', '_')}"
        info = {
            "url": page,
            "descriptionurl": page,
            "width": width,
            "height": height,
            "size": len(data),
            "mime": "image/jpeg",
            "sha1": hashlib.sha1(data).hexdigest(),
            "extmetadata": {
                "LicenseShortName": {"value": "Public domain"},
                "Artist": {"value": linked["artist"]},
            },
        }
        statements = {
            "P180": [
                statement(
                    f"M{number}",
                    "P180",
                    item_value(linked["qid"]),
                    "wikibase-entityid",
                    "wikibase-item",
                )
            ]
        }
        lines.append(
            {
                "pageid": number,
                "ns": 6,
                "title": f"File:{name}",
                "imagerepository": "shared",
                "imageinfo": [info],
                "mediainfo": {"id": f"M{number}", "statements": statements},
            }
        )
        found[linked["qid"]] = name
    (out / "images" / "metadata.jsonl").write_text(
        "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8"
    )
    return found


def write(folder: Path, out: Path, *, hide: float = 0.0, seed: int = 0) -> None:
    """Writes OUT/entities.json, OUT/images/ and OUT/truth.jsonl."""
    out.mkdir(parents=True, exist_ok=True)
    pictures = write_pictures(folder, out)
    with (
        open(out / "entities.json", "w", encoding="utf-8") as entities,
        open(out / "truth.jsonl", "w", encoding="utf-8") as truth,
    ):
        entities.write("[\n")
        for number, (entity, true) in enumerate(dump(folder, hide, seed, pictures)):
            entities.write((",\n" if number else "") + json.dumps(entity, ensure_ascii=False))
            if true:
                truth.write(json.dumps(true, ensure_ascii=False) + "\n")
        entities.write("\n]\n")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--hide", type=float, default=0.0, help="times the table's own share of empty cells"
    )
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    write(arguments.folder, arguments.out, hide=arguments.hide, seed=arguments.seed)


if __name__ == "__main__":
    main()
