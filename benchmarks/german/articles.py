"""German articles from claims: sentences, infobox, links and categories, as a MediaWiki XML export."""

import bz2
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.german.edition import Edition, german_terms
from questloom.knowledge.world.article_texts import Page
from questloom.knowledge.world.export import footer, page_xml
from questloom.language.date_words import date_words
from questloom.records.periods import parts_of

BASE = "https://de.invented.example/wiki/"
NAMESPACES = {-1: "Spezial", 0: "", 6: "Datei", 10: "Vorlage", 14: "Kategorie"}
BORN, DIED, BIRTHPLACE, DEATHPLACE = "P569", "P570", "P19", "P20"
HUMAN, WORK = "Q5", "P106"
MOST = 4
"""Number of values that a parameter of an infobox shows."""


def date_in_german(value: dict[str, Any], *, adverb: bool = True) -> str:
    """A date of the dump: "am 3. Mai 1850", "im Mai 1850", "1850"; "" for a less exact one."""
    precision = value["precision"]
    if precision < 9:
        return ""
    year, month, day = parts_of(value["time"])
    said = date_words(year, month if precision > 9 else 0, day if precision > 10 else 0, "de")
    return {11: "am ", 10: "im "}.get(precision, "") * adverb + said


class Articles:
    """The German articles of an edition.

    Args:
        edition: the entities.
        ids: the things that get an article.
    """

    def __init__(self, edition: Edition, ids: list[str]) -> None:
        self.edition, self.titles = edition, edition.titles(ids)

    def pages(self) -> Iterator[Page]:
        """The articles, and a redirect from each English label that differs."""
        for thing, title in self.titles.items():
            yield Page(title=title, text=self.text(thing))
        taken = set(self.titles.values())
        for thing, title in self.titles.items():
            english = self.edition.entities[thing]["labels"].get("en", {}).get("value", title)
            if english not in taken:
                taken.add(english)
                yield Page(title=english, text=f"#WEITERLEITUNG [[{title}]]", redirect=title)

    def wikitext(self, value: Any, *, adverb: bool = True) -> str:
        """A value in wikitext: a link, a date, an amount; "" for other kinds."""
        if not isinstance(value, dict):
            return ""
        if "time" in value:
            return date_in_german(value, adverb=adverb)
        if "amount" in value:
            number = f"{float(value['amount']):,.10g}".translate(str.maketrans(",.", ".,"))
            unit = self.edition.label(value["unit"].rpartition("/")[2])
            return f"{number} {unit}".strip()
        label, title = self.edition.label(value.get("id", "")), self.titles.get(value.get("id", ""))
        return label if title in (None, "") else f"[[{title}|{label}]]"

    def text(self, thing: str) -> str:
        """The wikitext of a thing's article."""
        label, person = self.edition.label(thing), self._is_person(thing)
        fields, lines = dict[str, list[str]](), list[str]()
        for name, value in self.edition.values(thing):
            term = german_terms()["relations"].get(name, {})
            if "say" not in term or not (said := self.wikitext(value)):
                continue
            if int(thing[1:]) % 2 or term.get("box"):
                fields.setdefault(term["key"], []).append(self.wikitext(value, adverb=False))
            if not (term.get("box") or (person and name in (BORN, DIED, BIRTHPLACE, DEATHPLACE))):
                lines.append(_sentence(term["say"], label, said))
        lead = self._life(thing) if person else f"'''{label}''' ist {self._kinds(thing)}."
        told = [f"| {key} = {'<br />'.join(all_[:MOST])}" for key, all_ in fields.items()]
        box = "\n".join(["{{Infobox", *told, "}}\n"]) if fields else ""
        tail = [f"[[Kategorie:{kind}]]" for kind in self._categories(thing)]
        return "\n\n".join([box + lead, "== Einzelheiten ==", " ".join(lines), *tail])

    def _is_person(self, thing: str) -> bool:
        return HUMAN in self.edition.classes[thing]

    def _kinds(self, thing: str, property_id: str = "P31") -> str:
        """The German classes or occupations of a thing: "eine Stadt und eine Gemeinde", "Maler"."""
        terms = german_terms()["classes"]
        told = (
            terms[v["id"]] for _, v in self.edition.values(thing, property_id) if v["id"] in terms
        )
        words = [
            noun if property_id == WORK else f"ein{'e' * (g == 'f')} {noun}" for noun, g in told
        ]
        *first, last = dict.fromkeys(words) or ("bekannt",)
        return " und ".join(filter(None, (", ".join(first), last)))

    def _first(self, thing: str, property_id: str, *, adverb: bool = False) -> str:
        told = (self.wikitext(v, adverb=adverb) for _, v in self.edition.values(thing, property_id))
        return next(filter(None, told), "")

    def _life(self, thing: str) -> str:
        """The first sentences about a person. Half of them give dates in brackets, as German leads
        do, and half in plain sentences."""
        label, work = self.edition.label(thing), self._kinds(thing, WORK)
        there, here = self._first(thing, BIRTHPLACE), self._first(thing, DEATHPLACE)
        if int(thing[1:]) % 2:
            signs = [
                f"{sign} {' in '.join(filter(None, (day, place)))}"
                for sign, date, place in (("*", BORN, there), ("†", DIED, here))
                if (day := self._first(thing, date)) or place
            ]
            dates = f" ({'; '.join(signs)})" if signs else ""
            return f"'''{label}'''{dates} war {work}."
        born, died = (self._first(thing, date, adverb=True) for date in (BORN, DIED))
        said = [f"'''{label}''' war {work}."]
        if born or there:
            place = there and f"in {there}"
            said.append(" ".join(filter(None, (label, "wurde", born, place, "geboren."))))
        if died or here:
            place = here and f"in {here}"
            said.append(" ".join(filter(None, (label, "starb", died, place))) + ".")
        return " ".join(said)

    def _categories(self, thing: str) -> list[str]:
        found = [
            german_terms()["classes"][c][0]
            for c in self.edition.classes[thing]
            if c in german_terms()["classes"]
        ]
        for name, word in ((BORN, "Geboren"), (DIED, "Gestorben")):
            for _, value in self.edition.values(thing, name):
                found.append(f"{word} {parts_of(value['time'])[0]}")
        return list(dict.fromkeys(found))


def _sentence(say: str, subject: str, said: str) -> str:
    text = re.sub(r"\{s(?:\.\w+)?\}", lambda _: subject, say)
    return re.sub(r"\{o(?:\.\w+)?\}", lambda _: said, text) + "."


def write_edition(edition: Edition, out: Path, hops: int) -> dict[str, int]:
    """Writes OUT/entities.json.gz and OUT/articles.xml.bz2; returns the numbers to report."""
    out.mkdir(parents=True, exist_ok=True)
    articles, counts = Articles(edition, edition.near(hops)), Counter[str]()
    with gzip.open(out / "entities.json.gz", "wt", encoding="utf-8", compresslevel=3) as file:
        file.write("[\n")
        for number, (entity_id, entity) in enumerate(edition.entities.items()):
            counts["entities"] += 1
            changed = dict(entity)
            term = german_terms()["relations"].get(entity_id, {})
            label = term.get("label") or edition.label(entity_id)
            if "de" in entity["labels"]:
                counts["German label in the slice"] += 1
            elif label != entity["labels"].get("en", {}).get("value"):
                counts["German label in the table"] += 1
                changed["labels"] = entity["labels"] | {"de": {"language": "de", "value": label}}
            else:
                counts["English label"] += 1
            if title := articles.titles.get(entity_id):
                link = {"site": "dewiki", "title": title, "badges": []}
                changed["sitelinks"] = entity.get("sitelinks", {}) | {"dewiki": link}
            file.write(",\n" * bool(number) + json.dumps(changed, ensure_ascii=False))
        file.write("\n]\n")
    with (out / "articles.xml.bz2").open("wb") as file:
        file.write(bz2.compress(_header().encode()))
        for number, page in enumerate(articles.pages(), start=1):
            counts["redirects" if page.redirect else "articles"] += 1
            file.write(bz2.compress(page_xml(page, number).encode()))
        file.write(footer())
    return dict(counts)


def _header() -> str:
    names = "".join(
        f'<namespace key="{key}" case="first-letter">{name}</namespace>'
        for key, name in NAMESPACES.items()
    )
    return (
        '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="de">\n'
        f"<siteinfo><sitename>Erfundene Ausgabe</sitename><dbname>dewiki</dbname><base>{BASE}Hauptseite</base>"
        f"<case>first-letter</case><namespaces>{names}</namespaces></siteinfo>\n"
    )
