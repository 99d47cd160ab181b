"""Switches off the controls against shortcuts one after the other, and measures how often the
shortcut solver is right after each step (cumulative ablation, as in FORT-Searcher, arXiv
2606.12087).

    python -m benchmarks.cumulative_ablation STORE OUT [--recipe demo] [--seeds 150] [--arms 1 2 …] [--set KEY=VALUE]

Arm 1 has all controls: the recipe with vague clues and with comparisons. Each later arm lacks one
control more than the arm before it:

2. meets: no plan has two branches that lead to one thing.
3. rare things: seeds are any things with a picture, hubs may be on the path, and the filters that
   imitate a model's memory are off.
4. derived clauses: no computation, no comparison, no vague clue. Seeds for comparisons become
   seeds for chains with as many claims.
5. co-statedness: a seed's plans come in random order instead of the dearest first, the picture's
   own page may state the answer, and the filters that try one search are off.
6. planning: the first certified form is a seed's only plan, and no choice over all seeds follows.
7. rewriting: nothing is hidden. The question asks for a claim of the thing in the picture.

Each arm plans its seeds, puts the plans into words with the graph writer, chooses the pictures and
runs the filters for shortcuts. Then the shortcut solver plays each kept question. It knows the
question's words, the picture and the tools, but not the form, and remembers nothing. The other
filters (the oracle, duplicates, quotas) do not run, as they look for no shortcut.

Some controls belong to the certificate and stay in all arms. A step that is not needed, or a
shorter chain from the picture to the answer, is always refused. Without these checks, the level of
a question would mean nothing. Arms 1 and 2 have the same seeds, and so have arms 3 to 7. The level
is the seed's level; in arm 7, it does not change the question.
"""

import argparse
import asyncio
import inspect
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path

from benchmarks.shortcut import Played, play
from questloom.agent.shortcut.shortcut_solver import MAX_CALLS
from questloom.files.opened import Opened
from questloom.language.names_in_text import leaked
from questloom.pipeline.recipe import Recipe, load_recipe
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.question_stages import make_draft, make_ground, make_pictures
from questloom.pipeline.synth.synth_job import check_models
from questloom.records.form import FUZZY_KINDS, ClaimClause, Compute, Form, Fuzzy
from questloom.records.identity import chance, priority
from questloom.records.plan import Plan, PlannedSeed, Preference
from questloom.records.share import Share
from questloom.records.synthesis import Question, Seed
from questloom.transforms.certificate.leak import answer_names
from questloom.transforms.drafting.seeds import candidates, choose
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.filters.image_search import IMAGE_SEARCH
from questloom.transforms.filters.no_tools import NO_TOOLS
from questloom.transforms.filters.text_only import TEXT_ONLY
from questloom.transforms.planning.choice import Shares, as_offer, order_plans
from questloom.transforms.planning.finish import page_texts
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.planner import BY_METHOD, CHAIN, MEET, Shape, size_of
from questloom.transforms.planning.search import dearest_first, search

MEETS, RARE, DERIVED, CO_STATED, PLANNING, REWRITING = CONTROLS = (
    "meets",
    "rare things",
    "derived clauses",
    "co-statedness",
    "planning",
    "rewriting",
)
"""The controls in the order in which the arms lose them."""
WHOLE = (
    "seeds.methods={paths: 3, injection: 1, exploration: 1}",
    "seeds.abilities={perception+search+reasoning: 1}",
    f"draft.fuzz=[{', '.join(FUZZY_KINDS)}]",
)
"""The settings by which arm 1 differs from the recipe: vague clues, and seeds for comparisons."""
OFF = {
    RARE: (
        "seeds.rules={pictured: 1}",
        "draft.max_hub=1000000",
        "filters.text_only=false",
        "filters.no_tools=false",
    ),
    DERIVED: (
        "seeds.abilities={perception+search: 1}",
        "draft.fuzz=[]",
        "draft.computation_share=0",
    ),
    CO_STATED: (
        "draft.own_page=true",
        "filters.text_search=false",
        "filters.image_search=false",
    ),
}
"""The settings that switch a control off. This script itself switches the other controls off."""
FILTERS = (IMAGE_SEARCH, TEXT_ONLY, NO_TOOLS)
"""The filters for shortcuts that need the picture. The filter `text_search` runs while drafting."""
LEVELS = ("easy", "medium", "hard")
HEAD = (
    "| arm | level | seeds | planned | kept | route | right | calls | calls if right | meets | computed | vague "
    f"| on the picture's page | sitelinks |\n|{14 * '---|'}"
)


@dataclass(frozen=True)
class Result:
    """What an arm made of its seeds, and how the shortcut solver fared.

    Args:
        seeds: the arm's seeds.
        planned: the ids of the seeds with a plan.
        played: the kept questions with the solver's episodes.
        on_page: the ids of the questions whose picture's own page states the answer.
        sitelinks: for each kept question's id, the sitelinks of the thing in its picture.
    """

    seeds: Sequence[Seed]
    planned: frozenset[str] = frozenset()
    played: Sequence[Played] = ()
    on_page: frozenset[str] = frozenset()
    sitelinks: dict[str, int] = field(default_factory=dict)


def recipe_of_arm(name: str, seeds: int, off: Sequence[str], more: Sequence[str] = ()) -> Recipe:
    """The recipe of an arm.

    Args:
        name: the recipe from which all arms start.
        seeds: number of seeds.
        off: the controls that are switched off.
        more: further settings, KEY=VALUE.
    """
    settings = [s for control in off for s in OFF.get(control, ())]
    return load_recipe(name, (f"seeds.count={seeds}", *WHOLE, *more, *settings))


def has_meet(form: Form) -> bool:
    """Whether two branches of a form lead to one thing: the claims between variables form a
    cycle."""
    parts: list[frozenset[str]] = []
    for claim in form.of(ClaimClause):
        if isinstance(claim.subject, str) and isinstance(claim.object, str):
            ends = frozenset((claim.subject, claim.object))
            touched = [part for part in parts if part & ends]
            if any(ends <= part for part in touched):
                return True
            parts = [part for part in parts if part not in touched] + [ends.union(*touched)]
    return False


def is_allowed(form: Form, off: Sequence[str]) -> bool:
    """Whether an arm may ask a form."""
    return not (MEETS in off and has_meet(form)) and not (DERIVED in off and form.of(Compute))


def shapes_of(method: str, off: Sequence[str]) -> tuple[Shape, ...]:
    """The shapes that an arm tries for a method."""
    if REWRITING in off:
        return (CHAIN,)
    return tuple(s for s in BY_METHOD[method] if MEETS not in off or s is not MEET)


def plans_of(at: Ground, seed: Seed, off: Sequence[str]) -> tuple[Plan, ...]:
    """The plans of a seed in an arm, by the planner's own parts.

    Args:
        at: the store, and the rules for planning.
        seed: a seed whose method has shapes.
        off: the controls that are switched off.
    """
    size = 1 if REWRITING in off else size_of(at, seed)
    found: list[Plan] = []
    for shape in shapes_of(seed.method, off):
        refusals = Refusals()
        draw = chance(at.recipe_seed, seed.id, f"plan:{shape.name}")
        grown = shape.grow(at, seed, size, draw, refusals)
        found += search(
            at,
            (each for each in grown if is_allowed(each[0], off)),
            shape=shape.name,
            refusals=refusals,
            limits=dict.fromkeys(shape.limits, 1) if PLANNING in off else shape.limits,
            off=partial(shape.off, at, seed),
        ).plans
    if CO_STATED in off:
        chance(at.recipe_seed, seed.id, "order of an arm").shuffle(found)
        return tuple(found)
    return dearest_first(found)


def orders_of(
    planned: Sequence[PlannedSeed], recipe: Recipe, off: Sequence[str]
) -> dict[str, tuple[int, ...]]:
    """The order of each seed's plans, by the id of the seed."""
    if PLANNING in off:
        return {each.id: (0,) for each in planned}
    shares = Shares(
        relation=recipe.filters.quotas.relation,
        thing=recipe.filters.quotas.node,
        detail=recipe.draft.detail_share,
        computation=recipe.draft.computation_share,
    )
    seeds = []
    for each in planned:
        offers = tuple(map(as_offer, each.plans))
        if CO_STATED in off:
            offers = tuple(replace(offer, calls=0) for offer in offers)
        seeds.append((each.id, priority(recipe.seed, each.id, "choice"), offers))
    return order_plans(seeds, shares)


def seeds_of(job: Job) -> list[Seed]:
    """The seeds that a run of the job would draw."""
    recipe, lookups = job.recipe, job.lookups
    most = recipe.draft.max_answer_words
    found = [
        candidate
        for entity in job.store.scan_entities()
        for candidate in candidates(
            entity, lookups, recipe.seeds, recipe.pictures, recipe.seed, most
        )
    ]
    return choose(found, recipe.seeds)


async def kept_questions(
    job: Job, planned: Sequence[PlannedSeed], orders: dict[str, tuple[int, ...]]
) -> list[Question]:
    """The questions that come from planned seeds, with pictures, after the filters for
    shortcuts."""
    rules = job.recipe.filters
    steps = (make_pictures(job), *(f.apply(job) for f in FILTERS if f.is_on(rules)))
    draft, kept = make_draft(job), list[Question]()
    for each in planned:
        order = Preference(item_id=each.id, order=orders[each.id])
        made: object = draft(each, order)
        for step in (None, *steps):
            if step and isinstance(made, Question):
                made = step(made)
            made = await made if inspect.isawaitable(made) else made
            if not isinstance(made, Question):
                break
        else:
            assert isinstance(made, Question)
            kept.append(made)
    return kept


def is_on_page(facts: Lookups, question: Question) -> bool:
    """Whether the page of the pictured thing states the answer."""
    names = answer_names(facts, question.answer, (question.language,))
    return any(leaked(text, names) for text in page_texts(facts, question.anchor))


def run_arm(recipe: Recipe, store: str, folder: Path, off: Sequence[str]) -> Result:
    """Makes the questions of an arm and lets the shortcut solver play them.

    Args:
        recipe: the arm's recipe.
        store: the path of the store, with vectors of its pictures.
        folder: where the arm's pictures are written.
        off: the controls that are switched off.
    """
    with Opened() as opened:
        job = Job.at(recipe, run=str(folder), store=store, opened=opened)
        at, seeds = make_ground(job), seeds_of(job)
        found = [PlannedSeed(seed=seed, plans=plans_of(at, seed, off)) for seed in seeds]
        planned = [each for each in found if each.plans]
        orders = orders_of(planned, recipe, off)
        kept = asyncio.run(kept_questions(job, planned, orders))
        played = asyncio.run(play(kept, job.run, job.store, recipe.models.clip, MAX_CALLS))
        anchors = {q.id: job.store.entity(q.anchor) for q in kept}
        return Result(
            seeds,
            frozenset(each.id for each in planned),
            played,
            frozenset(q.id for q in kept if is_on_page(at.facts, q)),
            {question: e.num_sitelinks for question, e in anchors.items() if e},
        )


def lines(arm: str, result: Result) -> Iterator[str]:
    """The arm's lines of the table: one for each level, and one for all levels together."""
    for level in (*LEVELS, "all"):
        seeds = [s for s in result.seeds if level in (s.level, "all")]
        played = [p for p in result.played if level in (p.question.level, "all")]
        forms = [p.question.logical_form for p in played]
        right = [p.num_calls for p in played if p.right]
        cells = (
            arm,
            level,
            len(seeds),
            sum(s.id in result.planned for s in seeds),
            len(played),
            _median([p.route.calls for p in played]),
            Share(len(right), len(played)),
            _mean([p.num_calls for p in played]),
            _mean(right),
            sum(has_meet(f) for f in forms if f),
            sum(bool(f.of(Compute)) for f in forms if f),
            sum(bool(f.of(Fuzzy)) for f in forms if f),
            sum(p.question.id in result.on_page for p in played),
            _median([result.sitelinks[p.question.id] for p in played]),
        )
        yield f"| {' | '.join(map(str, cells))} |"


def _median(values: Sequence[int]) -> str:
    return f"{statistics.median(values):g}" if values else "–"


def _mean(values: Sequence[int]) -> str:
    return f"{statistics.mean(values):.1f}" if values else "–"


def name_of(number: int) -> str:
    """The name of an arm by its number, from 1."""
    return f"{number} without {CONTROLS[number - 2]}" if number > 1 else "1 whole"


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    numbers = range(1, len(CONTROLS) + 2)
    parser.add_argument("store")
    parser.add_argument("out", type=Path, help="for the pictures; one folder for each arm")
    parser.add_argument("--recipe", default="demo")
    parser.add_argument("--seeds", type=int, default=150)
    parser.add_argument("--arms", nargs="+", type=int, choices=numbers, default=[*numbers])
    parser.add_argument("--set", action="append", default=[], help="of the recipe, in every arm")
    asked = parser.parse_args()
    print(f"{date.today()}, recipe {asked.recipe}, {asked.seeds} seeds an arm; 95 % by Wilson\n")
    print(HEAD)
    with Opened() as opened:
        recipe = recipe_of_arm(asked.recipe, asked.seeds, (), asked.set)
        check_models(Job.at(recipe, run=str(asked.out), store=asked.store, opened=opened))
    for number in asked.arms:
        off = CONTROLS[: number - 1]
        recipe = recipe_of_arm(asked.recipe, asked.seeds, off, asked.set)
        result = run_arm(recipe, asked.store, asked.out / str(number), off)
        for line in lines(name_of(number), result):
            print(line, flush=True)


if __name__ == "__main__":
    main()
