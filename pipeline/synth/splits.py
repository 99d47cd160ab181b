"""Assigns splits. Questions that share an anchor (pictured entity), a picture or a whole path get the same split.

Questions that share such a key (anchor, picture or path) form a component. If any shared entity
counted as a key, one component would contain two thirds of the data.

If a run sets a benchmark aside, questions from the same seed stay together too. VSearcher likewise
removes its training seeds from its benchmark. A question of level `benchmark` takes its whole
component into the benchmark.
"""

from collections.abc import Iterable, Iterator, Mapping

from questloom.pipeline.recipe import Recipe
from questloom.records.synthesis import Question
from questloom.transforms.drafting.schedule import by_weight

BENCHMARK = "benchmark"
"""The name of the benchmark's split, and of the level whose questions always go there."""
Keys = tuple[str, int, tuple[str, ...], bool]


def sets_aside(recipe: Recipe) -> bool:
    """Whether some of a run's questions form its benchmark."""
    return recipe.export.benchmark_share > 0 or recipe.seeds.levels.get(BENCHMARK, 0) > 0


def keys_of(question: Question, *, seeds: bool = False) -> tuple[str, ...]:
    """The keys that a question shares with other questions of the same split. A row from outside
    has neither anchor nor path.

    Args:
        question: a kept question.
        seeds: whether questions of the same seed stay together.
    """
    picture = f"picture:{question.source_image_id}"
    if not question.anchor:
        return (picture,)
    seed = (f"seed:{question.seed_entity}",) if seeds else ()
    return (
        f"anchor:{question.anchor}",
        picture,
        "path:" + ",".join(sorted(set(question.bindings.values()))),
        *seed,
    )


def components(keys: Iterable[Keys], recipe: Recipe) -> Iterator[tuple[str, int, str, str]]:
    """Tuples (id, shard, component, split), one for each question, in order of ids.

    Args:
        keys: for each question (id, shard, the keys of `keys_of`, whether the level is
            `benchmark`).
        recipe: the run's recipe. The share `export.benchmark_share` of the components is set aside,
            and so is each component with a question of level `benchmark`. `export.shares` divides
            the other components.
    """
    found = sorted(keys)
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        while parent.setdefault(key, key) != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for question_id, _, shared, _ in found:
        for key in shared:
            a, b = sorted((root(f"question:{question_id}"), root(key)))
            parent[b] = a
    aside = {
        root(f"question:{question_id}") for question_id, _, _, is_benchmark in found if is_benchmark
    }
    names: dict[str, str] = {}
    for question_id, shard, _, _ in found:
        top = root(f"question:{question_id}")
        component = names.setdefault(top, question_id)
        yield (
            question_id,
            shard,
            component,
            BENCHMARK if top in aside else split_of(component, recipe),
        )


def split_of(component: str, recipe: Recipe) -> str:
    """The split of a component: "benchmark", or a split that the recipe's shares give to "sft" or
    "rl". The component's name decides the draw."""
    export = recipe.export

    def drawn(weights: Mapping[str, float], purpose: str) -> str:
        return by_weight(weights, recipe.seed, component, purpose)

    if (
        drawn({BENCHMARK: export.benchmark_share, "other": 1 - export.benchmark_share}, BENCHMARK)
        == BENCHMARK
    ):
        return BENCHMARK
    return f"{drawn({'rl': export.rl_share, 'sft': 1 - export.rl_share}, 'use')}/{drawn(export.shares, 'share')}"
