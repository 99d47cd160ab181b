"""`questloom gather`: fetches a slice of Wikidata, Wikipedia and Commons from the live services,
and writes ordinary dumps into a folder."""

import csv
import json
import re
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from questloom.calls.retry import RetryPolicy
from questloom.knowledge.gather import gathered as state
from questloom.knowledge.gather.categories import walk_category
from questloom.knowledge.gather.closure import is_item
from questloom.knowledge.gather.dumps import SUMMARY, write_dumps
from questloom.knowledge.gather.fetcher import Fetcher
from questloom.knowledge.gather.gather import Gathering
from questloom.knowledge.gather.gathered import FETCHED, WORK, Gathered, row
from questloom.knowledge.gather.plan import plan_of
from questloom.knowledge.gather.request import MAX_CLASS, GatherRequest
from questloom.knowledge.gather.wikimedia import Addresses, Wikimedia
from questloom.knowledge.readers.commons import STANDARD_WIDTHS
from questloom.knowledge.readers.polite import RETRY, polite_caller, user_agent
from questloom.pipeline.runners.progress import say, staged
from questloom.pipeline.runners.run_log import path_error
from questloom.records.errors import InputError
from questloom.records.knowledge import Article
from questloom.transforms.ingest.sources import (
    RANGE_TEXT,
    ReadOptions,
    plan_articles,
    read,
    site_of,
)
from questloom.transforms.planning.lacking import VALUES

SHOWN_CLASSES = 10
"""Number of classes that the closing text names; classes gathered in part come first."""
_LANGUAGE = re.compile(r"[a-z]{2,}(-[a-z]+)*")
_SELECT = re.compile(r"\bselect\b.*\?item\b", re.I | re.S)

Json = dict[str, Any]


def lines_of(path: Path | None, option: str) -> tuple[str, ...]:
    """The lines of a file, without empty and repeated lines; the result is () if no file is given.

    Raises:
        InputError: the file cannot be read, or has no lines.
    """
    if path is None:
        return ()
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{option} {path}", f"cannot be read ({error})", "Give a text file in UTF-8."
        ) from error
    found = tuple(dict.fromkeys(line.strip() for line in lines if line.strip()))
    if not found:
        raise InputError(f"{option} {path}", "has no lines", "Write one a line.")
    return found


def titles_of_articles(path: str, language: str) -> tuple[str, ...]:
    """The titles of the articles in a dump, a ZIM file or a data set.

    Raises:
        InputError: the input cannot be read, belongs to another edition of Wikipedia, or contains
            no article.
    """
    where, site = f"--articles {path}", site_of((path,))
    if site.language != language:
        raise InputError(
            where, f"is in {site.language!r}, and --language is {language!r}", "Say its language."
        )
    options = ReadOptions(site=site, snapshot="", languages=(), keep_partial=False)
    found = tuple(
        item.title
        for task in plan_articles(path, RANGE_TEXT)
        for item in read(task, options)
        if isinstance(item, Article)
    )
    if not found:
        raise InputError(where, "holds no article", "Give a dump of articles.")
    return found


def what_is_lacking(path: Path | None) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The classes and the (class, property) pairs that a run's `lacking.tsv` names, each once. A pair
    stands for claims that lead to missing things. The result is ((), ()) if no file is given.

    Raises:
        InputError: the file cannot be read, or is not a table of what is lacking.
    """
    where = f"--complete {path}"
    rows = list(csv.DictReader(lines_of(path, "--complete"), delimiter="\t"))
    named = [str(row.get("class")) for row in rows]
    if (
        path is not None
        and (wrong := next((c for c in named or ("",) if not is_item(c)), None)) is not None
    ):
        raise InputError(
            where,
            f"is no table of classes ({wrong!r} is no item)",
            "Give the lacking.tsv of a run, or a file with the line `class` and an item a line.",
        )
    ways = [(row["class"], row["property"]) for row in rows if row.get("kind") == VALUES]
    classes = [row["class"] for row in rows if row.get("kind") != VALUES]
    return tuple(dict.fromkeys(classes)), tuple(dict.fromkeys(ways))


def gather(
    request: GatherRequest,
    out: Path,
    *,
    base: str = "",
    contact: str = "",
    retry: RetryPolicy = RETRY,
    say: Callable[[str], None] = say,
) -> Json:
    """Gathers into a folder, or continues the folder's last gathering. Returns the content of `gather.json`.

    Args:
        request: what to gather. Class, language and width must stay those of an earlier gathering
            in the folder.
        out: the folder, which is created if it is missing.
        base: a common address of all services; "" for Wikimedia's own services.
        contact: the user's mail address or page, for the services; "" takes QUESTLOOM_CONTACT.
        retry: when and how often a request is retried.
        say: called with the text of the plan.

    Raises:
        InputError: the request is invalid, the folder holds something else, or the class is
            unknown, empty or too large.
        ProviderFault: a service keeps failing; the same call continues later.
    """
    _check(request)
    user_agent(contact)
    try:
        gathered = Gathered(out)
        try:
            request = _held_to_first(request, gathered, out)
            with polite_caller(out / WORK, retry=retry) as caller, staged("gather") as progress:
                addresses = Addresses.of(request.language, base)
                services = Wikimedia(caller, addresses, language=request.language, contact=contact)
                return _gather(Gathering(Fetcher(request, services, gathered, out, progress)), say)
        finally:
            gathered.close()
    except OSError as error:
        raise path_error(error, out) from error
    except sqlite3.OperationalError as error:
        raise InputError(
            str(out / WORK),
            f"cannot be written ({error})",
            "Make room, or look at the rights; the same command goes on from here.",
        ) from error


def _check(request: GatherRequest) -> None:
    given = [request.class_id, request.ids, request.titles, request.category, request.query]
    if sum(map(bool, [*given, request.completes])) != 1:
        raise InputError(
            "gather",
            "takes one of --class, --ids, --titles, --articles, --category, --sparql and --complete",
            "Say which things are meant.",
        )
    if (number := len(request.titles or request.ids)) > MAX_CLASS:
        raise InputError(
            request.titles_option if request.titles else "--ids",
            f"names {number:,} things, more than {MAX_CLASS:,}",
            "Read whole dumps by `questloom ingest`; a slice has fewer.",
        )
    for option, name in (("--class", request.class_id), *(("--ids", i) for i in request.ids)):
        if name and not is_item(name):
            raise InputError(f"{option} {name}", "is no id of an item", "Write it as Q39715.")
    for option, title in (
        *((request.titles_option, t) for t in request.titles),
        *([("--category", request.category)] if request.category else []),
    ):
        if set("|#<>[]{}\n") & set(title):
            raise InputError(f"{option} {title}", "is no title", "Write one title a line.")
    if request.query and not _SELECT.search(request.query):
        raise InputError(
            "--sparql",
            "selects no ?item",
            "Write it as SELECT ?item WHERE { ?item wdt:P31 wd:Q39715 }.",
        )
    if not _LANGUAGE.fullmatch(request.language):
        raise InputError(
            f"--language {request.language}", "is no language of an edition", "Write it as en."
        )
    if request.width not in STANDARD_WIDTHS:
        raise InputError(
            f"--width {request.width}",
            "is not one that Commons gives",
            f"Use one of {', '.join(map(str, STANDARD_WIDTHS))}.",
        )


def _gather(run: Gathering, say: Callable[[str], None]) -> Json:
    request, gathered = run.request, run.gathered
    begun = json.loads(gathered.body(state.NOTE, "begun") or b"{}")
    if request.completes:
        asked = {**begun["asked"], "completed": len(request.lacking) + len(request.ways)}
        run.complete(begun["asked"]["depth"])
        return write_dumps(run, day=begun["day"], asked=asked)
    if request.category:
        _say_category(run, say)
    else:
        say(plan_of(request).as_text())
    if request.class_id:
        members = run.check_class()
        say(f"Class {request.class_id} has {members:,} members.")
        say(plan_of(request, members=members).as_text())
    anchors = run.anchors()
    asked = _settings(request) | {"anchors": len(anchors)}
    gathered.keep([row(state.NOTE, "begun", FETCHED, json.dumps(begun | {"asked": asked}))])
    things = run.close(anchors, request.depth)
    run.gather_rivals(anchors)
    run.gather_words()
    run.gather_articles(things)
    run.gather_pictures(anchors, things)
    run.gather_views(things)
    return write_dumps(run, day=begun["day"], asked=asked)


def _say_category(run: Gathering, say: Callable[[str], None]) -> None:
    """Says the plan with the categories that are known before the first request, and again after
    the categories were read."""
    request, known = run.request, walk_category(run.fetcher, ask=False).known
    say(
        f"Category {request.category}: {known:,} known before the first request; subcategories are "
        f"read to the depth {request.category_depth}."
    )
    say(plan_of(request, categories=known).as_text())
    walked = walk_category(run.fetcher)
    say(walked.as_text(request.category))
    if walked.titles:
        found = len(walked.titles)
        say(plan_of(request, categories=walked.read, articles=found).as_text())


def _settings(request: GatherRequest) -> Json:
    return {
        "class": request.class_id,
        "ids": len(request.ids),
        "titles": len(request.titles),
        "category": request.category,
        "category_depth": request.category_depth,
        "query": request.query,
        "limit": request.limit,
        "depth": request.depth,
        "rivals": request.rivals,
        "language": request.language,
        "width": request.width,
        "views": request.views,
    }


def _held_to_first(request: GatherRequest, gathered: Gathered, out: Path) -> GatherRequest:
    """Returns the request if it matches the folder's first request. If the request only completes
    an earlier gathering (`--complete`), class, language and width are taken from the folder's first
    request.

    Raises:
        InputError: the folder was begun with another request or without a request.
    """
    begun = json.loads(gathered.body(state.NOTE, "begun") or b"{}")
    if request.completes:
        if "asked" not in begun:
            raise InputError(
                f"--out {out}", "holds nothing that could be completed", "Gather into it first."
            )
        return replace(
            request, class_id=begun["class"], language=begun["language"], width=begun["width"]
        )
    lasting = {k: v for k, v in _settings(request).items() if k in ("class", "language", "width")}
    if not begun:
        begun = {"day": datetime.now(UTC).date().isoformat(), **lasting}
        gathered.keep([row(state.NOTE, "begun", FETCHED, json.dumps(begun))])
    for name, wanted in lasting.items():
        if begun[name] != wanted:
            raise InputError(
                f"--out {out}",
                f"was begun with {name} {begun[name] or 'none'}, and not {wanted or 'none'}",
                "Name another folder.",
            )
    return request


def summary_text(out: Path, summary: Json) -> str:
    """The text about what was gathered, what was unavailable, and which command to run next."""
    had, held, dumps = summary["gathered"], summary["slice"], summary["dumps"]
    lines = [
        f"{out}: {had['entities']:,} entities, {had['articles']:,} articles and {had['pictures']:,} pictures",
        f"  {held['anchors']:,} anchors, {held['anchors_to_ask_about']:,} of them with an article and a picture",
        f"  {held['things']:,} things to which claims of the anchors lead",
        f"  {held['rivals']:,} rivals: other members of the classes below",
    ]
    classes = sorted(summary["classes"].items(), key=lambda item: item[1]["whole"])
    for name, count in classes[:SHOWN_CLASSES]:
        how = "whole" if count["whole"] else f"in part ({count['listed']:,} of them)"
        lines.append(f"  class {name}: {count['members']:,} members, gathered {how}")
    if (more := len(classes) - SHOWN_CLASSES) > 0:
        lines.append(f"  {more:,} more classes: {out / SUMMARY}")
    for kind, failed in summary["failed"].items():
        shown = "; ".join(f"{key}: {why}" for key, why in list(failed.items())[:3])
        lines.append(
            f"  not to be had, {kind}: {len(failed):,} ({shown}{' …' if len(failed) > 3 else ''})"
        )
    views = summary["page_views"]
    lines.append(f"  page views in {views['days']} days: of {views['items']:,} things")
    if views["stopped"]:
        lines.append(
            f"  page views are not complete; the same command asks again ({views['stopped']})"
        )
    inputs = (f"--{option} {out / name}" for option, name in dumps.items())
    lines += [
        "Next:",
        f"  questloom ingest --store STORE {' '.join(inputs)}",
        "  questloom plan --store STORE --lacking lacking.tsv   # plans by level, shape and hops; what the store lacks",
        f"  questloom gather --out {out} --complete lacking.tsv   # fetches what is lacking; then ingest again",
        "  questloom synth --store STORE --out RUN",
    ]
    return "\n".join(lines)
