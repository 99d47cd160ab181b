"""Writes pages in wikitext: articles, redirects, disambiguation and list pages, and pages of other namespaces."""

import random
import re
from dataclasses import dataclass

from questloom.knowledge.world.infobox_texts import infobox
from questloom.knowledge.world.model import Picture, Thing
from questloom.knowledge.world.part import Part
from questloom.knowledge.world.prose import Prose

REFERENCES = (
    "<ref>{{cite book |title=Handbook of the Provinces |year=1934 |page=%d}}</ref>",
    '<ref name="register">Provincial register, sheet %d.</ref>',
    "<ref>''Annals of the Coast'', vol. %d.</ref>",
    '<ref name="atlas" />',
)
TEMPLATES = (
    "Infobox lighthouse",
    "Infobox person",
    "Convert",
    "Cite book",
    "Plainlist",
    "Short description",
    "Coord",
    "Reflist",
    "Stub",
)
DEPTH_OF_BRACES = 40


@dataclass(frozen=True)
class Page:
    """One page of the export: title, namespace, text, redirect target, content model."""

    title: str
    text: str
    namespace: int = 0
    redirect: str = ""
    model: str = "wikitext"


def pages(part: Part) -> list[Page]:
    """All pages of a part of the world in order: first articles with their redirects, then the other pages."""
    redirects = _choose_redirects(part)
    prose = Prose(part)
    found: list[Page] = []
    for thing in part.things.values():
        if thing.article:
            found.append(Page(thing.title, _article(part, prose, thing)))
            found.extend(
                _redirect_page(alias, thing.title) for alias in thing.look.get("redirects", ())
            )
    found.extend(redirects)
    found.extend(_disambiguations(part))
    found.extend(_lists(part))
    found.extend(_other_namespaces(part))
    return found


def _redirect_page(title: str, target: str) -> Page:
    return Page(
        title, f"#REDIRECT [[{target}]]\n\n{{{{R from alternative name}}}}", redirect=target
    )


def _choose_redirects(part: Part) -> list[Page]:
    """Gives things further titles, which are redirects to their pages. Returns the double
    redirects, which are redirects to redirects."""
    doubles = []
    for thing in part.things.values():
        rng = part.rng(f"redirects-{thing.id}")
        if not thing.article or thing.kind in ("company", "club"):
            continue
        for alias in thing.aliases.get("en", []):
            if (
                alias not in part.titles
                and rng.random() < 0.6
                and not any(c in alias for c in '"#<>[]|{}')
            ):
                part.titles.add(alias)
                thing.look.setdefault("redirects", []).append(alias)
                older = f"{alias} (old name)"
                if rng.random() < 0.07:
                    part.titles.add(older)
                    doubles.append(_redirect_page(older, alias))
    return doubles


def _article(part: Part, prose: Prose, thing: Thing) -> str:
    rng = part.rng(f"article-{thing.id}")
    shown = [p for p in thing.pictures if p.kind == "photo"]
    main = shown[0].file if shown else ""
    pieces = [f"{{{{Short description|{thing.description}}}}}"]
    if rng.random() < 0.1:
        pieces.append("<!-- Please do not change the figures without a source. [[Not a link]] -->")
    box = infobox(part, thing, main, caption(part, thing, 0))
    if box:
        pieces.append(box)
    elif main:
        pieces.append(f"[[File:{main}|thumb|{caption(part, thing, 0)}]]")
    rest: list[Picture] = shown[1:]
    for title, sentences in prose.sections(thing):
        if not sentences and title != "lead":
            continue
        noted = [s + _reference(rng) for s in sentences] if title != "lead" else sentences
        body = " ".join(noted)
        if title == "lead":
            pieces.append(body)
            continue
        pieces.append(f"== {title} ==")
        if rest:
            pieces.append(f"[[File:{rest.pop(0).file}|thumb|left|{caption(part, thing, 1)}]]")
        pieces.append(body)
    pieces += _oddities(part, thing)
    pieces.append("== References ==\n{{Reflist}}")
    pieces += [f"[[Category:{c}]]" for c in _categories(part, thing)]
    return "\n\n".join(pieces[:-1]) + "\n" + pieces[-1]


def _reference(rng: random.Random) -> str:
    """A footnote for some of the statements in an article, else ""."""
    if rng.random() >= 0.3:
        return ""
    note = rng.choice(REFERENCES)
    return note % rng.randint(2, 400) if "%d" in note else note


def caption(part: Part, thing: Thing, view: int) -> str:
    """The caption under a picture."""
    rng = part.rng(f"caption-{thing.id}-{view}")
    if thing.kind == "person":
        return rng.choice((f"{thing.label}, undated photograph", f"Portrait of {thing.label}"))
    return rng.choice(
        (
            f"{thing.label}",
            f"View of {thing.label}",
            f"{thing.label} in {rng.choice(('spring', 'late summer', 'winter', 'autumn'))}",
        )
    )


def _oddities(part: Part, thing: Thing) -> list[str]:
    """Markup that is hard to parse: tables, nowiki, nested and unterminated templates, odd markup."""
    rng = part.rng(f"oddities-{thing.id}")
    found = []
    if rng.random() < 0.06 and thing.values("P131"):
        first = max(1880, thing.start // 10 * 10 + 10)
        rows = "\n".join(
            f"|-\n| {first + 10 * i} || {rng.randint(10, 900)} || [[{part.nation.region.title}]]"
            for i in range(rng.randint(2, 5))
        )
        found.append(
            '== Visitors ==\n{| class="wikitable sortable"\n! Year !! Visitors !! From\n'
            + rows
            + "\n|}"
        )
    if rng.random() < 0.03:
        found.append("The sign reads <nowiki>[[Mind the {{step}}]]</nowiki> in two languages.")
    if rng.random() < 0.012:
        found.append("{{" * DEPTH_OF_BRACES + "Note" + "}}" * DEPTH_OF_BRACES)
    if rng.random() < 0.012:
        found.append("{{Main article|{{PAGENAME}}\n\nThis template was never closed.")
    if rng.random() < 0.02:
        found.append(
            '<div style="float:right"><b>See also</b> the [[:Category:Sights|other sights]] and the [[:fr:Chose|French article]].</div>'
        )
    if rng.random() < 0.02:
        found.append(
            f"<gallery>\nFile:Missing {thing.id}.jpg|A picture that nobody uploaded\n</gallery>"
        )
    return found


def _categories(part: Part, thing: Thing) -> list[str]:
    noun = (
        part.label(thing.classes[0])
        if thing.kind != "person"
        else thing.look.get("occupation", "person")
    )
    plural = {"person": "people", "taxon": "taxa"}.get(noun) or re.sub(
        "s$", "se", re.sub("(?<![aeou])y$", "ie", noun)
    ) + "s"
    found = [f"{plural.capitalize()} in {part.region.label}"]
    if thing.start:
        found.append(
            f"{thing.start} establishments" if thing.kind != "person" else f"{thing.start} births"
        )
    return found


def _disambiguations(part: Part) -> list[Page]:
    by_label: dict[str, list[Thing]] = {}
    for thing in part.things.values():
        if thing.article:
            by_label.setdefault(
                thing.surname if thing.kind == "person" else thing.label, []
            ).append(thing)
    found = []
    for label, things in sorted(by_label.items()):
        title = f"{label} (disambiguation)"
        if len(things) > 3 or len({t.label for t in things}) < len(things):
            lines = "\n".join(f"* [[{t.title}]], {t.description}" for t in things)
            found.append(
                Page(title, f"'''{label}''' may refer to:\n\n{lines}\n\n{{{{disambiguation}}}}")
            )
    return found


def _lists(part: Part) -> list[Page]:
    found = []
    for kind, plural in (
        ("lighthouse", "lighthouses"),
        ("bridge", "bridges"),
        ("castle", "castles"),
        ("painting", "paintings"),
    ):
        things = [t for t in part.kind(kind) if t.article]
        if len(things) > 2:
            rows = "\n".join(f"|-\n| [[{t.title}|{t.label}]] || {t.start}" for t in things)
            found.append(
                Page(
                    f"List of {plural} in {part.region.label}",
                    f'This is a list of {plural} in [[{part.region.title}]].\n\n{{| class="wikitable"\n! Name !! Year\n{rows}\n|}}\n'
                    f"[[Category:Lists of {plural}]]",
                )
            )
    return found


def _other_namespaces(part: Part) -> list[Page]:
    if part.number:
        return [
            Page(
                f"Category:Lighthouses in {part.region.label}",
                f"[[Category:{part.region.label}]]",
                14,
            ),
            Page(f"User:Keeper{part.number}", "Hello. I write about [[lighthouse]]s.", 2),
        ]
    found = [
        Page(
            f"Template:{name}",
            "<includeonly>{{{1|}}}</includeonly><noinclude>{{documentation}}</noinclude>",
            10,
        )
        for name in TEMPLATES
    ]
    found += [
        Page("Help:Contents", "How to edit.", 12),
        Page("User:Tide/common.js", "mw.loader.load('x');", 2, model="javascript"),
        Page("Module:Convert", "return {}", 828, model="Scribunto"),
        Page("Portal:Coast", "Welcome to the coast.", 100),
        Page("MediaWiki:Sidebar", "* navigation", 8),
        Page(f"Talk:{part.region.title}", "Is the area right? ~~~~", 1),
    ]
    return found
