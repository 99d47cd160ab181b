"""Explains why a store gives no more plans (sets of facts for a question). The table of causes has
a row for each kind of missing data and each class. People can read the table, and programs can use
it to fetch the missing data.

The columns of `RUN/lacking.tsv` are:

```
kind        a constant of `questloom.transforms.planning.lacking`
class       the class; for claims and values, `property` names the property
things      the number of entities without any plan that needed the missing data
refused     the number of steps and forms that were refused for lack of the data, over all seeds
            without a plan. This number orders the rows: in a small world 42 refused seeds got a
            plan once all classes were complete, and 31 of them with the first class in this order
held, of    the class members in the store, and all members (empty if unknown); for claims, the
            members with such a claim, and all members in the store; for values, the same
what        a sentence with the same content
```
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from questloom.files.parquet import write_whole
from questloom.pipeline.synth.job import Job
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Seed
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.planning.lacking import CLAIMS, STEPS, VALUES, Lack
from questloom.transforms.stages.run_folder import RunFolder

FILE = "lacking.tsv"
COLUMNS = ("kind", "class", "property", "things", "refused", "held", "of", "what")


@dataclass(frozen=True)
class Lacking:
    """One kind of data that a store lacks.

    Args:
        lack: the kind of missing data, with its class or property.
        things: the number of entities without any plan that needed the data.
        refused: the number of refused steps and forms that needed the data.
        held: the number of members of the class in the store. For claims, `held` is the number of
            members with such a claim.
        total: the true number of members; None if it is unknown.
        words: the same content as a sentence, for people.
    """

    lack: Lack
    things: int
    refused: int
    held: int
    total: int | None
    words: str

    def row(self) -> str:
        """This cause as one line of the table."""
        total = "" if self.total is None else self.total
        cells = (
            self.lack.kind,
            self.lack.class_id,
            self.lack.property,
            self.things,
            self.refused,
            self.held,
            total,
        )
        return "\t".join(map(str, (*cells, self.words)))


def list_lacking(
    seeds: Iterable[Seed], dropped: Iterable[Rejection], facts: Lookups
) -> list[Lacking]:
    """The data whose lack left seeds without a plan. The data for which most steps were refused come
    first.

    Args:
        seeds: all seeds for which the run tried to make plans.
        dropped: the rejections of seeds for which no plan was found. The evidence of a rejection
            says which data the store lacks.
        facts: the store.
    """
    lacks = {
        r.seed_id: {Lack.from_row(text): n for text, n in r.evidence.get("lacks", {}).items()}
        for r in dropped
        if isinstance(r.evidence, dict)
    }
    refused: Counter[Lack] = Counter()
    by_thing = defaultdict(list)
    for seed in seeds:
        by_thing[seed.entity_id].append(lacks.get(seed.id))
        refused.update(lacks.get(seed.id, {}))
    things: Counter[Lack] = Counter()
    for found in by_thing.values():
        if all(one is not None for one in found):
            things.update({lack for one in found for lack in one or ()})
    return sorted(
        (_describe(lack, things[lack], number, facts) for lack, number in refused.items()),
        key=lambda one: (-one.refused, -one.things, one.lack),
    )


def _describe(lack: Lack, things: int, refused: int, facts: Lookups) -> Lacking:
    kind = facts.entity(lack.class_id)
    name = f"“{kind.label() if kind else lack.class_id}”"
    members = facts.num_members(lack.class_id)
    fell = f"{refused:,} {'step was' if refused == 1 else 'steps were'} refused"
    if things:
        fell += f", {things:,} {'thing has' if things == 1 else 'things have'} no plan"
    if lack.kind in (CLAIMS, VALUES):
        info = facts.property(lack.property)
        relation = f"“{info.labels.get('en', lack.property) if info else lack.property}”"
        profile = facts.profile(lack.property, lack.class_id)
        held, members = profile.num_subjects, profile.num_instances
        words = f"{fell}: {members - held:,} of {members:,} of the class {name} have no {relation}"
        if lack.kind == VALUES:
            words = f"{fell}: the {relation} of some of the class {name} is not in the store"
        return Lacking(lack, things, refused, held, members, words)
    if lack.kind == STEPS:
        words = f"{fell}: their ways end at one of the class {name} that no claim leads on from"
        return Lacking(lack, things, refused, members, None, words)
    total = facts.stated_members(lack.class_id)
    known = f"there are {total:,}" if total else "nobody says how many there are"
    words = f"{fell}: the store holds {members:,} of the class {name}, and {known}"
    return Lacking(lack, things, refused, members, total, words)


def write_lacking(job: Job) -> list[Lacking]:
    """Writes the file `lacking.tsv` after a run has tried to make plans for all seeds. Returns the
    content of the file."""
    run: RunFolder = job.run
    seeds = run.read(run.label("seeds"), "kept", Seed)
    found = list_lacking(seeds, run.read(run.label("plan"), "rejected", Rejection), job.lookups)
    if found:
        write_whole(run.at(FILE), table_of(found))
    return found


def table_of(found: Iterable[Lacking]) -> bytes:
    """The content of `lacking.tsv`."""
    lines = ["\t".join(COLUMNS), *(one.row() for one in found)]
    return ("\n".join(lines) + "\n").encode()
