"""Measures how many plans a store supplies for each shape and level. A plan is a question before it
gets words.

    python -m benchmarks.plan_supply STORE [--recipe demo] [--things 60] [--shapes tree] [--own-seeds] [--set KEY=VALUE ...]

The table shows three things: the plans' routes, the number of plans that the graph writer can put
into words, and the writer's most frequent reasons for refusing a plan. The script draws the seeds
at random from all items that a question's picture may show; with `--own-seeds`, from the things
that the recipe's rules for seeds select. The recipe sets how large the plans of
a level are. The size of a chain or a meet (two kinds of plans) is its number of hops, including the
asked hop. The size of a tree (a third kind) is its number of rounds. The first line shows how many
of the claims are curiosities (unusual facts of the invented world). The last line shows how many of
the plans contain a curiosity.
"""

import argparse
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from questloom.files.opened import Opened
from questloom.knowledge.world.curiosities import CURIOSITIES
from questloom.pipeline.recipe import Recipe, load_recipe
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.question_stages import make_ground
from questloom.records.identity import chance
from questloom.records.plan import Plan
from questloom.records.share import Share
from questloom.records.synthesis import Seed
from questloom.transforms.drafting.seeds import candidates, choose
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.planner import CHAIN, MEET, TREE, Shape, size_of
from questloom.transforms.planning.search import search
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.writing.graph.english import English

HEAD = (
    "| shape, size | level | things with a plan | plans | with a curiosity | things with a worded one | worded plans "
    "| faults of the others | calls of each thing's dearest plan, median (and things) | CPU a thing | work | refused most |\n"
    f"|{12 * '---|'}"
)
METHOD_OF = {CHAIN: "paths", MEET: "paths", TREE: "injection"}


@dataclass
class Supply:
    """The number of plans, and their properties, for one shape at one level."""

    shape: str
    level: str
    size: int
    things: int = 0
    with_plan: int = 0
    worded: int = 0
    plans: int = 0
    curious: int = 0
    """The number of plans with a curiosity (an unusual fact), as the answer or on the way to it."""
    seconds: float = 0.0
    routes: list[int] = field(default_factory=list)
    """For each seed, the number of tool calls in its most expensive plan."""
    work: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    worded_plans: int = 0
    unworded: Counter[str] = field(default_factory=Counter)
    """Maps each kind of fault in the wording of a plan to the number of plans that have this fault.
    """

    def line(self) -> str:
        each = ", ".join(f"{n} of {calls}" for calls, n in sorted(Counter(self.routes).items()))
        calls = f"{median(self.routes):g} ({each})" if self.routes else "none"
        low, high = Share(self.with_plan, self.things).interval
        things = f"{self.with_plan} of {self.things} [{low:.0%}, {high:.0%}]"
        most = ", ".join(f"{reason} {n}" for reason, n in self.refused.most_common(3))
        faults = ", ".join(f"{fault} {n}" for fault, n in self.unworded.most_common(3))
        return (
            f"| {self.shape} {self.size} | {self.level} | {things} | {self.plans} | {self.curious} | {self.worded} "
            f"| {self.worded_plans} | {faults or 'none'} | {calls} "
            f"| {self.seconds / max(1, self.things):.3f} s | {dict(self.work)} | {most} |"
        )


def drawn(at: Ground, num: int) -> list[str]:
    """Things that pictures may show, in an order that depends only on the recipe's seed."""
    found = [e.id for e in at.facts.facts.scan_entities() if e.classes]  # type: ignore[attr-defined]
    shown = [e for e in found if at.is_pictured(e) and at.may_be_shown(e)]
    chance(at.recipe_seed, "things", "plan_supply").shuffle(shown)
    return shown[:num]


def own_seeds(job: Job, method: str, num: int) -> list[str]:
    """The things of the seeds that the recipe would draw for a method, in random order."""
    recipe = job.recipe
    rules = replace(recipe.seeds, methods={method: 1.0}, count=num)
    found = [
        candidate
        for entity in job.store.scan_entities()
        for candidate in candidates(
            entity,
            job.lookups,
            rules,
            recipe.pictures,
            recipe.seed,
            recipe.draft.max_answer_words,
        )
    ]
    return list(dict.fromkeys(seed.entity_id for seed in choose(found, rules)))


def curious_claims(at: Ground) -> tuple[int, int]:
    """Returns two counts of claims about items: the claims that state a curiosity, and all
    claims.
    """
    found = Counter(
        claim.property in CURIOSITIES
        for entity in at.facts.facts.scan_entities()  # type: ignore[attr-defined]
        for claim in at.facts.claims(entity.id)
    )
    return found[True], found.total()


def supplies(
    recipe: Recipe,
    store: str,
    num: int,
    levels: Sequence[str] = ("easy", "medium", "hard"),
    shapes: Sequence[str] = (),
    *,
    own: bool = False,
) -> Iterator[Supply]:
    """Counts the plans from some of the store's items, for each shape (all if `shapes` is empty)
    and for the given levels. `own`: whether the recipe's rules select the items."""
    with Opened() as opened:
        job = Job(RunFolder("unused"), store, recipe, opened)
        at, english = make_ground(job), English(job.store, recipe.seed, recipe.language)
        curious, total = curious_claims(at)
        print(f"curiosities: {curious} of {total} claims = {curious / max(1, total):.2%}\n")
        print(HEAD, flush=True)
        for shape, method in METHOD_OF.items():
            if shapes and shape.name not in shapes:
                continue
            things = own_seeds(job, method, num) if own else drawn(at, num)
            for level in levels:
                yield _supply(at, english, shape, method, level, things)


def _supply(
    at: Ground, english: English, shape: Shape, method: str, level: str, things: list[str]
) -> Supply:
    seed = Seed(entity_id="", method=method, rule="pictured", level=level, domain="other")
    found = Supply(shape.name, level, size_of(at, seed))
    for thing in things:
        refusals, started = Refusals(), time.process_time()
        draw = chance(at.recipe_seed, thing, f"{shape.name}:{level}")
        forms = shape.grow(at, seed.replace(entity_id=thing), found.size, draw, refusals)
        plans = search(at, forms, shape=shape.name, refusals=refusals).plans
        found.seconds += time.process_time() - started
        found.things += 1
        found.with_plan += bool(plans)
        found.plans += len(plans)
        found.curious += sum(bool(CURIOSITIES.intersection(plan.relations)) for plan in plans)
        found.routes += [plan.route.calls for plan in plans[:1]]
        found.work.update(plan.work for plan in plans)
        found.refused.update(refusals.reasons)
        faults = [_faults_of(english, plan, thing) for plan in plans]
        found.worded_plans += sum(not f for f in faults)
        found.worded += not all(faults)
        found.unworded.update(f for plan in faults for f in plan)
    return found


def _faults_of(english: English, plan: Plan, thing: str) -> set[str]:
    """Returns the kinds of fault in a plan's words, such as "repeated word" or "heavy". The set of
    faults is empty if the plan can be put into words.
    """
    said = english.question(plan.logical_form, plan.bindings, thing)
    return {
        "says what is hidden" if p.startswith("says ") else p.partition(":")[0]
        for p in said.problems
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store")
    parser.add_argument("--recipe", default="demo")
    parser.add_argument("--things", type=int, default=60)
    parser.add_argument("--levels", nargs="+", default=["easy", "medium", "hard"])
    parser.add_argument("--shapes", nargs="+", default=[], choices=[s.name for s in METHOD_OF])
    parser.add_argument("--own-seeds", action="store_true")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    given = parser.parse_args()
    recipe = load_recipe(given.recipe, tuple(given.set))
    found = []
    for supply in supplies(
        recipe, given.store, given.things, given.levels, given.shapes, own=given.own_seeds
    ):
        print(supply.line(), flush=True)
        found.append(supply)
    plans = sum(supply.plans for supply in found)
    curious = sum(supply.curious for supply in found)
    print(f"\nplans with a curiosity: {curious} of {plans} = {curious / max(1, plans):.1%}")


if __name__ == "__main__":
    main()
