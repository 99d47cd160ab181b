"""Assigns splits. Divides the questions into splits. Questions get the same split if they share an
anchor (the pictured entity), a picture or a whole path.

Questions that are connected by shared keys (anchors, pictures or paths) form a component. Two
questions that share any other entity can be in different components. Otherwise, one component would
contain two thirds of all questions.

If a run sets a benchmark aside, questions from the same seed stay together as well. VSearcher also
keeps the seeds of its training data out of its benchmark. If a question has the level `benchmark`,
its whole component goes into the benchmark.
"""

from collections.abc import Iterable, Iterator, Mapping

from questloom.pipeline.recipe import Recipe
from questloom.records.synthesis import Question
from questloom.transforms.drafting.schedule import by_weight

BENCHMARK = "benchmark"
"""The name of the benchmark's split, and also of the level whose questions always go into the
benchmark."""
Keys = tuple[str, int, tuple[str, ...], bool]


def sets_aside(recipe: Recipe) -> bool:
    """Whether some of a run's questions form its benchmark."""
    return recipe.export.benchmark_share > 0 or recipe.seeds.levels.get(BENCHMARK, 0) > 0


def keys_of(question: Question, *, seeds: bool = False) -> tuple[str, ...]:
    """The keys of a question. Questions that share a key get the same split. A question from an
    external data set has neither an anchor nor a path.

    Args:
        question: a kept question.
        seeds: whether questions from the same seed stay together.
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
    """Yields one tuple (id, shard, component, split) for each question, in order of the ids.

    Args:
        keys: one tuple for each question: its id, its shard, its keys (see `keys_of`), and whether
            its level is `benchmark`.
        recipe: the run's recipe. The share `export.benchmark_share` of the components goes into the
            benchmark. Each component with a question of the level `benchmark` goes into the
            benchmark too. `export.shares` decides how the other components are divided.
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
    """The split of a component. The split is "benchmark", or a split for "sft" or "rl" according to
    the recipe's shares. A random number that is made from the component's name decides the split.
    """
    export = recipe.export

    def drawn(weights: Mapping[str, float], purpose: str) -> str:
        return by_weight(weights, recipe.seed, component, purpose)

    if (
        drawn({BENCHMARK: export.benchmark_share, "other": 1 - export.benchmark_share}, BENCHMARK)
        == BENCHMARK
    ):
        return BENCHMARK
    return f"{drawn({'rl': export.rl_share, 'sft': 1 - export.rl_share}, 'use')}/{drawn(export.shares, 'share')}"
