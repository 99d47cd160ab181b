"""Wikimedia's services as sources: the query service for the items of some hundred seeds, Commons for the files that are used."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from questloom.knowledge.readers.commons import COMMONS_API, CommonsApi, read_commons
from questloom.knowledge.readers.polite import polite_caller
from questloom.knowledge.readers.rejections import reject
from questloom.knowledge.readers.sparql import (
    WIKIDATA_ENDPOINT,
    SparqlService,
    rare_seeds,
    service_entities,
)
from questloom.knowledge.readers.wikidata_json import Item
from questloom.records.errors import InputError
from questloom.records.knowledge import ImageAsset, Redirect
from questloom.records.outcomes import Reason, Rejection

SPARQL, COMMONS = "sparql", "commons"
"""The word that replaces a path if a service is the source."""
MAX_NAMED = 5
"""Ids that a message names; the rejections have all."""
UNKNOWN = (
    "They may be deleted, merged into others without a redirect that the service knows, or in another graph: "
    "since 2025 scholarly articles have a query service of their own. Or the service is none of Wikidata: look at "
    "--sparql-endpoint."
)
"""Why a query service may not know items."""


@dataclass(frozen=True, kw_only=True)
class Services:
    """Which services are asked, and for what. Replies are cached in a folder, so a resumed job asks nothing twice."""

    cache: str = ""
    """Folder of the replies and of the ledger of attempts (calls.sqlite); "" for a folder beside the store."""
    sparql_endpoint: str = WIKIDATA_ENDPOINT
    sparql_ids: tuple[str, ...] = ()
    """Items to ask for; () asks for seeds by VSearcher's rule."""
    sparql_seeds: int = 500
    """How many seeds to ask for where no ids are given."""
    commons_endpoint: str = COMMONS_API
    commons_width: int = 960
    """Width of the thumbnails; one of the standard ones."""


def named(ids: Iterable[str]) -> str:
    """Some ids in words: how many, and the first of them."""
    found = sorted(ids)
    return (
        f"{len(found):,} ({', '.join(found[:MAX_NAMED])}{', …' if len(found) > MAX_NAMED else ''})"
    )


Read = Item | Redirect | Rejection


def read_sparql(services: Services, *, snapshot: str, languages: tuple[str, ...]) -> Iterator[Read]:
    """The seeds' items, then the items that are values of their best claims: with these, paths of two hops have labels and classes.

    Raises:
        InputError: no contact is set, or the service has nothing to begin with.
        ProviderFault: the service fails lastingly.
    """
    languages = languages or ("en",)
    with polite_caller(Path(services.cache)) as caller:
        yield from _read_sparql(
            SparqlService(services.sparql_endpoint, caller), services, snapshot, languages
        )


def _read_sparql(
    service: SparqlService, services: Services, snapshot: str, languages: tuple[str, ...]
) -> Iterator[Read]:
    anew = f"Replies are kept in {services.cache}: remove it to ask again."
    seeds = list(services.sparql_ids) or rare_seeds(
        service, language=languages[0], limit=services.sparql_seeds
    )
    if not seeds:
        what = f"finds no rare item with a picture and an article in the language {languages[0]!r}"
        raise InputError(
            service.endpoint,
            what,
            f"Name items with --sparql-ids, or look at --sparql-endpoint and --language. {anew}",
        )
    redirected: dict[str, str] = {}
    known, around = set(), set()
    for item in service_entities(service, seeds, snapshot=snapshot, languages=languages):
        if isinstance(item, Redirect):
            redirected[item.title] = item.target
        else:
            known.add(item[0].id)
            around |= {
                claim.value.entity
                for claim in item[1]
                if claim.best and claim.value.kind == "entity"
            }
        yield item
    if not known:
        raise InputError(
            service.endpoint,
            f"knows none of the items that it is asked for: {named(seeds)}",
            f"{UNKNOWN} {anew}",
        )
    for item in service_entities(
        service, sorted(around - known), snapshot=snapshot, languages=languages
    ):
        if isinstance(item, Redirect):
            redirected[item.title] = item.target
        elif item[0].id not in known:
            known.add(item[0].id)
        else:  # a value that was merged into an item that is there
            continue
        yield item
    for missing in sorted({*seeds, *around, *redirected.values()} - known - redirected.keys()):
        yield reject(
            Reason.BAD_ENTITY,
            "Entity",
            missing,
            evidence="the query service does not know it",
            title=missing,
        )


def fetch_pictures(
    services: Services, files: list[str]
) -> Iterator[tuple[ImageAsset, bytes] | Rejection]:
    """Files of Commons by name.

    Raises:
        InputError: no contact is set, or no standard width; ProviderFault: Commons fails lastingly.
    """
    with polite_caller(Path(services.cache)) as caller:
        yield from read_commons(
            CommonsApi(caller, endpoint=services.commons_endpoint),
            files,
            width=services.commons_width,
        )
