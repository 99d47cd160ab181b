"""Finds the articles of a category and of its subcategories, the nearest first."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from questloom.knowledge.gather.fetcher import Fetcher

MAX_CATEGORIES = 500
"""Maximum number of categories whose articles are listed. A subcategory of a subcategory is often about something
else, and some categories have thousands of them."""


@dataclass(frozen=True)
class CategoryWalk:
    """The articles of a category and of its subcategories."""

    titles: tuple[str, ...]
    read: int
    """Number of categories whose members were listed."""
    unread: int
    """Number of known categories, within the depth, whose members were not listed."""
    deeper: int
    """Number of known subcategories that lie deeper than the request's depth."""

    @property
    def known(self) -> int:
        """Number of known categories within the depth."""
        return self.read + self.unread

    def as_text(self, name: str) -> str:
        """The walk in a sentence."""
        found = f"Category {name}: {_categories(self.read)} read, {len(self.titles):,} articles"
        unread = f"; not read: {_categories(self.unread)}" if self.unread else ""
        deeper = f"; deeper: {_categories(self.deeper)}" if self.deeper else ""
        return f"{found}{unread}{deeper}."


def _categories(number: int) -> str:
    return f"{number:,} {'category' if number == 1 else 'categories'}"


def walk_category(fetcher: Fetcher, *, ask: bool = True) -> CategoryWalk:
    """Lists the members of the request's category, then those of its subcategories, level by level, until enough
    articles are found.

    Each category is read once, so a category that contains itself does no harm. Each reply is stored: a later run
    requests only what is missing.

    Args:
        fetcher: the fetcher of the folder; its request names the category, the depth and the limit.
        ask: whether to send requests. False lists what earlier runs have stored.
    """
    request, titles = fetcher.request, dict[str, None]()
    root = _canonical(request.category)
    seen, waiting = {root}, deque([(root, 0)])
    read, deeper = 0, set[str]()
    while waiting and len(titles) < request.limit and read < MAX_CATEGORIES:
        name, level = waiting[0]
        if ask:
            fetcher.progress("reading categories", read, len(seen))
        for articles, below in _members(fetcher, name, ask):
            titles |= dict.fromkeys(articles)
            if level < request.category_depth:
                new = [one for one in dict.fromkeys(below) if one not in seen]
                seen.update(new)
                waiting.extend((one, level + 1) for one in new)
            else:
                deeper.update(below)
            if len(titles) >= request.limit:
                break
        if not ask and not fetcher.has_list(_key(name, 0)):
            break
        waiting.popleft()
        read += 1
    return CategoryWalk(
        titles=tuple(titles)[: request.limit],
        read=read,
        unread=len(waiting),
        deeper=len(deeper - seen),
    )


def _members(fetcher: Fetcher, name: str, ask: bool) -> Iterator[tuple[list[str], list[str]]]:
    """The articles and subcategories of a category, reply by reply."""
    more, number = dict[str, str](), 0
    while not number or more:
        key = _key(name, number)
        if not ask and not fetcher.has_list(key):
            return
        articles, below, more = fetcher.list_of(
            key, partial(fetcher.services.category_members, name, more)
        )
        yield articles, below
        number += 1


def _key(name: str, number: int) -> str:
    return f"in category {name} {number}"


def _canonical(name: str) -> str:
    """The name as the wiki writes it, so that a category that contains itself is recognised."""
    name = name.replace("_", " ").strip()
    return name[:1].upper() + name[1:]
