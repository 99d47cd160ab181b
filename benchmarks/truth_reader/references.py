"""Finds the thing that is meant by each word that refers back: "it", "she", "that river", "the second
one".
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from benchmarks.truth_reader.descriptions import is_called, parts_of, repeated
from benchmarks.truth_reader.lexicon import data
from benchmarks.truth_reader.query import (
    ONE,
    ORDER,
    Another,
    Atom,
    Back,
    Called,
    Described,
    Differ,
    Has,
    Kind,
    Pictured,
    Query,
    Related,
    Target,
    Together,
    Winner,
    inverse,
    place_of,
    renamed,
)

LIFE = ("P569", "P570")
"""The properties of a birth and a death: only people have them."""


def called(atoms: tuple[Atom, ...]) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Returns the nouns for each thing. Some nouns stand in the text, and other nouns follow from
    the thing's relations ("the person who taught x" is a teacher).
    """
    roles = data()["roles"]
    outright: dict[str, set[str]] = {}
    implied: dict[str, set[str]] = {}
    for atom in atoms:
        if isinstance(atom, Kind | Called):
            outright.setdefault(atom.var, set()).add(atom.noun)
        elif isinstance(atom, Related):
            for var, relation in ((atom.var, atom.relation), (atom.other, inverse(atom.relation))):
                found = {
                    role
                    for role, meaning in roles.items()
                    if set(meaning.split()) & set(relation.split())
                }
                implied.setdefault(var, set()).update(found)
    return outright, implied


@dataclass(frozen=True)
class Talk:
    """What the words that refer back depend on.

    Attributes:
        starts: the positions where the text's sentences begin.
        can: function of (noun, relation) that returns whether what the noun names can have it.
        mentions: the positions of words that refer to earlier things, each with its thing.
    """

    starts: tuple[int, ...]
    can: Callable[[str, str], bool]
    mentions: tuple[tuple[int, str], ...] = ()

    def start(self, place: int) -> int:
        """The position where the sentence of a place begins."""
        return max(s for s in self.starts if s <= place)


def resolved(query: Query, talk: Talk) -> Iterator[Query]:
    """Finds the thing that is meant by each word that refers back to an earlier thing. Yields the
    possible queries, the most likely first.
    """
    waiting = [a for a in query.atoms if isinstance(a, Back | Described)]
    if not waiting:
        yield _without_others(query)
        return
    back = min(waiting, key=_turn)
    if isinstance(back, Described):
        outright, implied = called(query.atoms)
        kin = data()["kin"]
        nouns = {
            v: outright.get(v, set()) | {n for n in implied.get(v, ()) if n not in kin}
            for v in (*outright, *implied)
        }
        for said in repeated(query, back, talk.start(place_of(back.var)), nouns):
            yield from resolved(said, talk)
        return
    rest = tuple(a for a in query.atoms if a != back)
    if back.mode == "compared":
        which, _, properties = back.noun.partition(" ")
        together = next((a for a in rest if isinstance(a, Together)), None)
        if together:
            keys = tuple(f"{v}k" for v in together.among)
            values = (Has(v, properties, k) for v, k in zip(together.among, keys, strict=True))
            won = Winner(back.var, together.among, keys, which == "last")
            yield from resolved(Query((*rest, *values, won), query.asked, query.cost), talk)
        return
    if back.mode == "one":
        yield from _one(back, rest, query, talk)
        return
    if back.mode == "another":
        yield from _another(back, rest, query, talk)
        return
    if back.noun == ONE:
        back = replace(back, noun=_of_two(back, rest))
    pending = {a.var for a in rest if isinstance(a, Back)}
    outright, implied = called(rest)
    differ = {
        a.other if a.var == back.var else a.var
        for a in rest
        if isinstance(a, Differ) and back.var in (a.var, a.other)
    }
    beside = {
        v
        for a in rest
        if isinstance(a, Related) and back.var in (a.var, a.other)
        for v in (a.var, a.other)
    }
    out = {back.var, *pending, *differ, *beside}  # nobody is his own father
    out |= _owners(back, rest, outright, talk) if back.mode == "pronoun" else set()
    before = [
        v
        for v in {**outright, **implied}
        if v.startswith("n") and v not in out and place_of(v) < place_of(back.var)
    ]
    if back.mode == "pronoun" and {v for _, v in talk.mentions} & {*before}:
        before = [v for v in before if not _says_again(back, v, rest)] or before
    if back.mode == "it":
        before = _able(back, before, rest, outright, talk) or before
        before = [v for v in before if v in _timed(query, back)] or before
    if back.mode == "that other":
        # After "another river", "that other river" is this one.
        told = {a.var for a in rest if isinstance(a, Another)}
        told = {v for v in told if is_called(back.noun, outright.get(v, set()))}
        before = [v for v in before if v in told] or before
    if back.mode == "twin":
        before = _likened(back, before, rest) or before
    pictured = {a.var for a in rest if isinstance(a, Pictured)}
    kinds = {a.var for a in rest if isinstance(a, Kind)}
    for rank, target in enumerate(
        _candidates(back, before, outright, implied, pictured, kinds, talk)[:3]
    ):
        new = back.mode == "pronoun" or target not in kinds
        more: tuple[Atom, ...] = (
            (Kind(target, back.noun),)
            if back.noun and new and back.noun not in data()["roles"]
            else ()
        )
        atoms = tuple(renamed(a, back.var, target) for a in (*rest, *more))
        asked = Target(
            query.asked.kind,
            tuple(target if v == back.var else v for v in query.asked.vars),
            query.asked.unit,
        )
        yield from resolved(
            Query(tuple(dict.fromkeys(atoms)), asked, query.cost + 50 * rank),
            replace(talk, mentions=(*talk.mentions, (place_of(back.var), target))),
        )


def _turn(atom: Back | Described) -> tuple[int, int]:
    """Words that refer back have their turn in the order of the text. A description has its turn at
    its end, after all words and descriptions within it."""
    if isinstance(atom, Described):
        return atom.end, -place_of(atom.var)
    return place_of(atom.var), 0


def _able(
    back: Back, before: list[str], rest: tuple[Atom, ...], outright: dict[str, set[str]], talk: Talk
) -> list[str]:
    """The things of a kind that can have what "it" has: in "that bridge's engineer and its
    construction", the bridge; in "A museum holds a painting. Who painted it?", the painting."""
    has = [a.properties for a in rest if isinstance(a, Has) and a.var == back.var]
    wanted = [" ".join(f">{p}" for p in properties.split()) for properties in has]
    wanted += [
        a.relation if a.var == back.var else inverse(a.relation)
        for a in rest
        if isinstance(a, Related) and back.var in (a.var, a.other)
    ]
    return [
        v for v in before if all(any(talk.can(n, w) for n in outright.get(v, ())) for w in wanted)
    ]


def _timed(query: Query, back: Back) -> set[str]:
    """The thing whose event a question for years names before "its": in "from the opening of the
    museum where this painting hangs to the birth of its founder", the museum."""
    first = query.asked.vars[0]
    if query.asked.kind not in ("years", "full_years") or place_of(first) > place_of(back.var):
        return set()
    dates = [a for a in query.atoms if isinstance(a, Has) and a.literal == first]
    return {a.var for a in dates if a.properties not in LIFE}


def _says_again(back: Back, target: str, rest: tuple[Atom, ...]) -> bool:
    """Whether a claim of a pronoun, if it means the target, repeats another claim. In "She was
    a poet. … the teacher who worked for the company that employed her", nobody takes "her" for the
    teacher, of whom the words say already that she worked there."""
    claims = [a for a in rest if isinstance(a, Related)]
    own = [a for a in claims if back.var in (a.var, a.other)]

    def ends(var: str, other: str) -> tuple[str, str]:
        return (target if var == back.var else var, target if other == back.var else other)

    return any(
        (ends(a.var, a.other) == (b.var, b.other) and parts_of(a.relation) & parts_of(b.relation))
        or (
            ends(a.var, a.other) == (b.other, b.var)
            and parts_of(a.relation) & parts_of(inverse(b.relation))
        )
        for a in own
        for b in claims
        if b not in own
    )


def _likened(back: Back, before: list[str], rest: tuple[Atom, ...]) -> list[str]:
    """The things of which the text has said what "the same" repeats: "the same saint" as that of a
    church before."""
    parts = {
        p
        for a in rest
        if isinstance(a, Related) and a.var == back.var
        for p in parts_of(a.relation)
    }
    return [
        v
        for v in before
        if any(
            (a.var == v and parts & parts_of(a.relation))
            or (a.other == v and parts & parts_of(inverse(a.relation)))
            for a in rest
            if isinstance(a, Related)
        )
    ]


def _one(back: Back, rest: tuple[Atom, ...], query: Query, talk: Talk) -> Iterator[Query]:
    """ "This one" means a thing in the picture. The thing must be of the same kind as the last
    named thing, but must not be that thing.
    """
    kinds = [a for a in rest if isinstance(a, Kind) and place_of(a.var) < place_of(back.var)]
    for rank, kind in enumerate(sorted(kinds, key=lambda a: -place_of(a.var))):
        said = (Pictured(back.var), Kind(back.var, kind.noun), Differ(back.var, kind.var))
        yield from resolved(Query((*rest, *said), query.asked, query.cost + 50 * rank), talk)


def _another(back: Back, rest: tuple[Atom, ...], query: Query, talk: Talk) -> Iterator[Query]:
    """ "Another" without a noun has the noun of the subject or head of its verb: in "this bridge
    spans a river that flows into another", of the river."""
    near = {
        v
        for a in rest
        if isinstance(a, Related) and back.var in (a.var, a.other)
        for v in (a.var, a.other)
        if talk.start(place_of(back.var)) <= place_of(v) < place_of(back.var)
    }
    kinds = [a for a in rest if isinstance(a, Kind) and a.var in near]
    for kind in kinds[:1]:
        said = (Kind(back.var, kind.noun), Another(back.var, kind.noun))
        yield from resolved(Query((*rest, *said), query.asked, query.cost), talk)


def _owners(
    back: Back, rest: tuple[Atom, ...], outright: dict[str, set[str]], talk: Talk
) -> set[str]:
    """Whose relative was the subject of the sentence before: "One of this man's sons died in 1910.
    On what date was he born?" asks for the son."""
    start = talk.start(place_of(back.var))
    last = max((s for s in talk.starts if s < start), default=-1)
    kin, roles, sex = data()["kin"], data()["roles"], data()["sexes"][back.noun]
    return {
        a.other
        for a in rest
        if isinstance(a, Related) and place_of(a.var) == last
        for noun in outright.get(a.var, ())
        if kin.get(noun) == sex and roles[noun] == a.relation
    }


def _of_two(back: Back, rest: tuple[Atom, ...]) -> str:
    """The noun that "one" stands for in "the first one": that of the last "another" or "other"
    thing, or of the last two things of one kind. Empty if there is none."""
    before = [
        a for a in rest if isinstance(a, Another | Kind) and place_of(a.var) < place_of(back.var)
    ]
    others = [a for a in before if isinstance(a, Another)]
    told = [a for a in before if a.var.startswith("n")]
    twice = [a for a in told if any(a.noun == b.noun and a.var != b.var for b in told)]
    return max(others or twice, key=lambda a: place_of(a.var)).noun if others or twice else ""


def _candidates(
    back: Back,
    before: list[str],
    outright: dict[str, set[str]],
    implied: dict[str, set[str]],
    pictured: set[str],
    kinds: set[str],
    talk: Talk,
) -> list[str]:
    latest = sorted(before, key=place_of, reverse=True)
    if back.mode == "twin":
        return [v for v in latest if v in kinds]
    if back.mode == "it":  # nobody calls a man "it"
        men = {"person", *data()["sexes"]}
        before = [v for v in before if not men & outright.get(v, set())] or before
    if back.mode == "it" and len(talk.starts) > 1:
        before = [v for v in before if outright.get(v)] or before
        return _meant_by_it(place_of(back.var), before, outright, talk)
    if back.mode == "it":
        return sorted(before, key=lambda v: (v not in pictured, place_of(v)))
    if back.mode == "pronoun":
        sexes = {**data()["sexes"], **data()["kin"]}
        sexed = [
            v for v in latest if any(sexes.get(n) == sexes[back.noun] for n in outright.get(v, ()))
        ]
        # "A woman influenced the architect of this library. She designed a chapel."
        start = talk.start(place_of(back.var))
        last = max((s for s in talk.starts if s < start), default=-1)
        here = any(place_of(v) > start and _is_somebody(v, outright, implied) for v in latest)
        spoken = {*((place_of(v), v) for v in latest), *talk.mentions}
        unsexed = [v for v in latest if not any(n in sexes for n in outright.get(v, ()))]
        people = [v for v in unsexed if _is_somebody(v, outright, implied)]
        if not here:
            # "That other man's portrait bears a year. How many years later did he die?"
            only = {v for p, v in spoken if last <= p < start and v in sexed}
            only = only or {v for p, v in spoken if last <= p < start and v in people}
            # "That other woman was trained by a woman. When was she born?"
            subject = {v for p, v in spoken if p == last and v in only}
            if back.noun in ("he", "she") and len(subject) == 1:
                return list(subject)
            if len(only) == 1:
                return list(only)
        return [*sexed, *people, *(v for v in unsexed if v not in people)]
    if back.mode in OTHER:
        latest = [v for v in latest if v not in pictured] or latest
    if back.mode in ORDER:
        same = [v for v in reversed(latest) if is_called(back.noun, outright.get(v, set()))]
        return same[ORDER.index(back.mode) :][:1]
    exact = [v for v in latest if back.noun in outright.get(v, ())]
    tail = [v for v in latest if any(n.split(" ")[-1] == back.noun for n in outright.get(v, ()))]
    found = (
        exact
        or tail
        or [v for v in latest if back.noun in implied.get(v, ())]
        or [v for v in latest if v not in kinds]
    )
    if back.mode == "that":  # the pictured thing is "this river"
        return [v for v in found if v not in pictured] or found
    unlike = [v for v in found if v in pictured]
    return [v for v in found if v not in unlike] + unlike if back.mode in OTHER else found


def _is_somebody(var: str, outright: dict[str, set[str]], implied: dict[str, set[str]]) -> bool:
    """Whether the words call a thing a person."""
    people = {"person", *data()["sexes"], *data()["callings"], *KIN}
    return bool(people & (outright.get(var, set()) | implied.get(var, set())))


KIN = frozenset(
    "father mother wife husband spouse son daughter brother sister sibling child parent member pupil student "
    "illustrator patron donor dedicatee".split()
)
"""Nouns for relatives and other people: "it" means none of them."""


def _meant_by_it(
    place: int,
    before: list[str],
    outright: dict[str, set[str]],
    talk: Talk,
) -> list[str]:
    """The thing that the word "it" means after a statement.

    The candidates come in this order: the last thing in this sentence, the subject of the previous
    sentence, and the other things of the previous sentence.
    """
    people = {"person", *data()["sexes"], *data()["callings"], *KIN}
    spoken = [(place_of(v), v) for v in before] + [m for m in talk.mentions if m[1] in before]
    things = sorted({(p, v) for p, v in spoken if not people & outright.get(v, set())})
    start = talk.start(place)
    last = max((s for s in talk.starts if s < start), default=0)
    here = [
        v for p, v in reversed(talk.mentions) if start <= p < place and v in {t for _, t in things}
    ]
    there = [v for p, v in things if last <= p < start]
    subject = [v for p, v in things if p == last]
    rest = [v for _, v in reversed(things)]
    return [*here, *subject, *reversed(there), *rest][:1]


OTHER = ("other", "that other")
SEXED = {"male": "man", "female": "woman"}


def _without_others(query: Query) -> Query:
    """Makes sure that "another bridge" differs from every bridge in the text before, "another work"
    that was painted from every painting, and that a daughter is a woman."""
    nouns, _ = called(query.atoms)
    atoms: list[Atom] = []
    for atom in query.atoms:
        if isinstance(atom, Another):
            own = {a.noun for a in query.atoms if isinstance(a, Kind) and a.var == atom.var}
            own = {atom.noun} | own - data()["sexes"].keys()
            atoms += [
                Differ(atom.var, v)
                for v in nouns
                if v != atom.var
                and own & nouns[v]
                and v.startswith("n")
                and place_of(v) < place_of(atom.var)
            ]
        elif isinstance(atom, Called) and (sex := data()["kin"].get(atom.noun)):
            atoms.append(Kind(atom.var, SEXED[sex]))
        elif not isinstance(atom, Together | Called):
            atoms.append(atom)
    return Query(tuple(dict.fromkeys(atoms)), query.asked, query.cost)
