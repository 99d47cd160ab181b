"""Measures how good the tests of question making are: counts how many small changes of the code
(mutants) they notice.

    python -m benchmarks.mutants [--areas drafting filters synth …] [--sample 25] [--seed 0] [--minutes 8] [--results FILE]

An area is a group of modules with their tests. A mutant changes one comparison, number, connective
("and", "or") or condition in a module. The function `turned` defines the possible changes. The
script runs the tests with a random sample of each area's mutants. Each mutant gets a fork of a
process that has already loaded all tests. The doctests of the changed module run first, then the
module's tests, then the tests that import the module, then the other tests of the area. The tests
stop at the first failure.

If the change is inside a function, the changed function replaces the loaded one. If the change is
outside functions, all modules are imported again. `assert` lines, docstrings, annotations and the
arguments in `NO_RULES` are never changed. The results are kept in a file, so the script can
continue after it was interrupted (by `--minutes` or by hand).
"""

import argparse
import ast
import copy
import doctest
import importlib.abc
import importlib.util
import json
import os
import subprocess
import sys
import time
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from benchmarks.truth import share

ROOT = Path(__file__).parent.parent
SMALL_STORE = "QUESTLOOM_SMALL_STORE"
"""Name of an environment variable with the folder of the small store. tests/pipeline/conftest.py
reads it."""


@dataclass(frozen=True)
class Area:
    """A group of modules to change, and the tests that should notice the changes."""

    modules: tuple[str, ...]
    """File patterns of the modules, relative to the root."""
    tests: tuple[str, ...]
    makes_store: bool = False
    """Whether the modules of the area take part in making the small store that the tests use. The
    script makes the store of other areas only once, before it changes any module.
    """
    concerned: dict[str, str] = field(default_factory=dict)
    """For the name of a module, the names of its test files ("lints verbalise"), in the order of
    running. The key "" holds those of the other modules. Empty where each mutant gets all tests of
    the area."""


SENTENCES = "sentences asking back_references preferences"
AREAS = {
    "drafting": Area(("transforms/drafting/*.py",), ("tests/transforms/drafting",)),
    "planning": Area(
        ("transforms/planning/*.py", "transforms/planning/shapes/*.py"),
        ("tests/transforms/planning",),
    ),
    "filters": Area(("transforms/filters/*.py",), ("tests/transforms/filters",)),
    "certificate": Area(
        ("transforms/certificate/*.py",),
        (
            "tests/transforms/certificate",
            "tests/transforms/drafting",
            "tests/transforms/filters/test_string_filters.py",
        ),
    ),
    "grammar": Area(
        ("transforms/writing/graph/*.py",),
        ("tests/transforms/writing/graph",),
        concerned={
            "clues": "clues",
            "english": "graph_writer prices",
            "expected_fit": "expected_fit",
            "form_words": "form_words prices verbalise fuzzy_words",
            "fuzzy_words": "fuzzy_words",
            "graph_writer": "graph_writer",
            "label_source": "label_source",
            "lints": "lints prices verbalise preferences",
            "pronouns": "clauses prices verbalise " + SENTENCES,
            "reasoning_questions": "prices reasoning_questions verbalise",
            "references": "clauses long_puzzles prices verbalise " + SENTENCES,
            "sentences": "prices verbalise " + SENTENCES,
            "first_mentions": "clauses long_puzzles prices verbalise " + SENTENCES,
            "ellipsis": "preferences",
            "telling": "clauses long_puzzles prices verbalise " + SENTENCES,
            "verbalise": "choice prices verbalise",
            "": "clauses long_puzzles prices verbalise fuzzy_words reasoning_questions",
        },
    ),
    "proof": Area(("transforms/writing/llm/*.py",), ("tests/transforms/writing/llm",)),
    "pictures": Area(("transforms/pictures/*.py",), ("tests/transforms/pictures",)),
    "splits": Area(
        ("pipeline/synth/splits.py", "pipeline/export/quota.py", "pipeline/export/exclusions.py"),
        (
            "tests/pipeline/synth/test_splits.py",
            "tests/pipeline/export/test_quota.py",
            "tests/pipeline/export/test_exclusions.py",
        ),
    ),
    "episodes": Area(("transforms/episodes/*.py",), ("tests/transforms/episodes",)),
    "stages": Area(("transforms/stages/*.py",), ("tests/transforms/stages",)),
    **{
        name: Area((f"pipeline/{name}/*.py",), (f"tests/pipeline/{name}",))
        for name in (
            "commands",
            "evaluate",
            "export",
            "plan",
            "report",
            "runners",
            "synth",
            "teach",
        )
    },
    "ingest": Area(("pipeline/ingest/*.py",), ("tests/pipeline/ingest",), makes_store=True),
    "recipe": Area(
        ("pipeline/recipe.py", "pipeline/settings.py"),
        ("tests/pipeline/test_recipe.py", "tests/pipeline/test_shipped_recipes.py"),
    ),
    "evolve": Area(("pipeline/evolve/*.py",), ("tests/pipeline/evolve",)),
    "train": Area(("train/**/*.py",), ("tests/train",)),
}
TOO_LONG: dict[str, tuple[str, ...]] = {
    "tests/pipeline/synth/test_synth_job.py": (
        "synth_job",
        "global_steps",
        "synth_stages",
        "question_stages",
    ),
    "tests/pipeline/synth/test_exploration.py": ("writer_choice",),
    "tests/pipeline/synth/test_text_facts.py": ("question_stages", "synth_stages"),
    "tests/pipeline/teach/test_teach_job.py": ("teach_job", "teach_stages", "teach_end"),
    "tests/transforms/pictures/test_picture_chooser.py": ("picture_chooser", "checkpoint_quality"),
    "tests/transforms/filters/test_duplicates.py::test_a_beam_pipeline": ("duplicate_losers",),
    **{
        f"tests/transforms/writing/graph/test_{name}": ()
        for name in (
            "asking.py::test_of_the_asked_thing_nothing_is_said_that_it_could_be_mistaken_for",
            "back_references.py::test_a_second_river_is_another_one_and_the_first_is_not_that_river_any_more",
            "back_references.py::test_a_wife_is_a_wife_where_she_is_known_to_be_a_woman",
            "back_references.py::test_her_fathers_teacher_is_not_the_teacher_of_her_father",
            "sentences.py::test_no_sentence_says_that_somebody_has_what_everybody_has",
            "sentences.py::test_of_several_pupils_one_is_told_of",
        )
    },
    "tests/pipeline/evolve/test_rounds.py": (
        "checks",
        "forward",
        "loop",
        "probes",
        "rivals",
        "rollouts",
        "subset",
        "verify",
    ),
}
"""The slow tests, which test whole stores and jobs. Each slow test comes with a list of modules,
and runs only for mutants of the listed modules. A mutant of another module counts as unnoticed if
only the slow test would notice it.
"""
COMPARED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


NO_RULES = ("frozen", "kw_only", "strict")
"""Names of arguments that only guard against programming mistakes, such as `strict`. A test of a
rule cannot notice whether such an argument was changed."""


@dataclass(frozen=True)
class Mutant:
    """The n-th place in a module where a mutant can change something."""

    module: Path
    number: int
    line: int
    words: str

    def __str__(self) -> str:
        return f"{self.module.relative_to(ROOT)}:{self.line}: {self.words} (#{self.number})"


def turned(node: ast.AST) -> ast.AST | None:
    """Returns a syntax node with one thing changed, or None if nothing in it can be changed."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in COMPARED:
            return ast.Compare(
                left=node.left, ops=[COMPARED[type(op)]()], comparators=node.comparators
            )
        case ast.BoolOp():
            return ast.BoolOp(
                op=ast.Or() if isinstance(node.op, ast.And) else ast.And(), values=node.values
            )
        case ast.UnaryOp(op=ast.Not()):
            return node.operand
        case ast.Constant(value=bool(value)):
            return ast.Constant(value=not value)
        case ast.Constant(value=int(value) | float(value)):
            return ast.Constant(value=value + 1)
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            return ast.BinOp(
                left=node.left,
                op=ast.Sub() if isinstance(node.op, ast.Add) else ast.Add(),
                right=node.right,
            )
        case ast.If() | ast.IfExp():
            other = copy.deepcopy(node)
            other.test = ast.UnaryOp(op=ast.Not(), operand=node.test)
            return other
    return None


class _Turn(ast.NodeTransformer):
    """Changes the n-th changeable place of a syntax tree. With n = -1, nothing is changed and the
    places are only counted."""

    def __init__(self, number: int) -> None:
        self.number, self.found = number, list[tuple[int, str]]()

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Assert | ast.arg) or (
            isinstance(node, ast.keyword) and node.arg in NO_RULES
        ):
            return node
        if isinstance(node, ast.AnnAssign):
            if node.value is not None:
                node.value = self.visit(node.value)  # type: ignore[assignment]
            return node
        other = turned(node)
        if other is not None:
            self.found.append((node.lineno, ast.unparse(node)[:70].splitlines()[0]))  # type: ignore[attr-defined]
            if len(self.found) - 1 == self.number:
                return ast.copy_location(other, node)
        return super().generic_visit(node)


def mutants(area: Area) -> Iterator[Mutant]:
    """Lists all possible mutants of an area's modules."""
    for module in sorted(path for pattern in area.modules for path in ROOT.glob(pattern)):
        walk = _Turn(-1)
        walk.visit(ast.parse(module.read_text(encoding="utf-8")))
        yield from (Mutant(module, n, line, words) for n, (line, words) in enumerate(walk.found))


class _Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports a module with one change (mutant) in its code."""

    def __init__(self, mutant: Mutant) -> None:
        parts = mutant.module.relative_to(ROOT).with_suffix("").parts
        self.mutant, self.name = mutant, ".".join(("questloom", *parts))

    def find_spec(self, fullname, path=None, target=None):
        return (
            importlib.util.spec_from_file_location(fullname, self.mutant.module, loader=self)
            if fullname == self.name
            else None
        )

    def exec_module(self, module) -> None:
        tree = ast.parse(self.mutant.module.read_text(encoding="utf-8"))
        _Turn(self.mutant.number).visit(tree)
        exec(
            compile(ast.fix_missing_locations(tree), str(self.mutant.module), "exec"), vars(module)
        )

    def put_in_place(self) -> None:
        """Replaces the code of the loaded module's functions by the changed code. If no function
        differs, imports all modules again with the change.
        """
        made = types.ModuleType(self.name)
        self.exec_module(made)
        loaded = (
            dict(_functions(sys.modules[self.name], self.name)) if self.name in sys.modules else {}
        )
        changed = [
            (loaded[place], new)
            for place, new in _functions(made, self.name)
            if place in loaded and loaded[place].__code__ != new.__code__
        ]
        for old, new in changed:
            old.__code__ = new.__code__
        if not changed:
            for name in [n for n in sys.modules if n.partition(".")[0] in ("questloom", "tests")]:
                del sys.modules[name]
            sys.meta_path.insert(0, self)


def _functions(of: Any, module: str, place: str = "") -> Iterator[tuple[str, types.FunctionType]]:
    """Yields the functions of a module or class, each with its dotted name."""
    for name, value in list(vars(of).items()):
        inner = next(
            (
                getattr(value, key)
                for key in ("__wrapped__", "__func__", "fget", "func")
                if getattr(value, key, None) is not None
            ),
            value,
        )
        if isinstance(inner, types.FunctionType) and inner.__module__ == module:
            yield f"{place}.{name}", inner
        elif isinstance(value, type) and value.__module__ == module:
            yield from _functions(value, module, f"{place}.{name}")


def survives(mutant: Mutant | None, tests: list[str], seconds: int = 300) -> bool:
    """Whether the tests pass although the code was changed. Tests that take more than `seconds` of
    processor time count as failed."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = "/dev/null"
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        if mutant:
            _Mutated(mutant).put_in_place()
            if doctest.testmod(importlib.import_module(_Mutated(mutant).name)).failed:
                os._exit(1)
        left_out = [
            f"--deselect={test}"
            for test, modules in TOO_LONG.items()
            if mutant is None or mutant.module.stem not in modules
        ]
        os._exit(
            int(
                pytest.main(
                    ["-x", "-q", "-p", "no:cacheprovider", "-m", "not slow", *left_out, *tests]
                )
            )
        )


def tests_of(mutant: Mutant, area: Area) -> list[str]:
    """The tests of an area, in the order of running. Tests that are named after the changed module
    come first, then tests that import it. Slow tests come last."""
    found = sorted(
        str(p.relative_to(ROOT))
        for test in area.tests
        for p in ([ROOT / test] if (ROOT / test).is_file() else (ROOT / test).glob("test_*.py"))
    )
    module = _Mutated(mutant).name
    if concerned := area.concerned.get(mutant.module.stem, area.concerned.get("")):
        return [str(Path(area.tests[0], f"test_{name}.py")) for name in concerned.split()]
    return sorted(
        found,
        key=lambda path: (
            path in TOO_LONG,
            Path(path).stem != f"test_{mutant.module.stem}",
            module not in (ROOT / path).read_text(encoding="utf-8"),
        ),
    )


def _small_store_for(area: Area, folder: Path) -> None:
    """Gives the tests of `pipeline/` an existing small store. Making the store takes as long as the
    tests themselves."""
    os.environ.pop(SMALL_STORE, None)
    if area.makes_store or not any(test.startswith("tests/pipeline") for test in area.tests):
        return
    if not (
        folder / "store"
    ).exists():  # in a separate process, because a fork of a process that has used a store hangs
        code = f"from pathlib import Path; from tests.pipeline.small_world import small_store; small_store(Path({str(folder)!r}))"
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
    os.environ[SMALL_STORE] = str(folder / "store")


def main() -> None:
    """Prints each mutant (changed code) that no test noticed, and the share of mutants that tests
    noticed."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--areas", nargs="+", default=sorted(AREAS), choices=sorted(AREAS))
    options.add_argument("--modules", nargs="*", default=[], help="only modules of these names")
    options.add_argument("--sample", type=int, default=25, help="mutants of an area")
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--minutes", type=float, default=8.0, help="no mutant is begun later")
    options.add_argument(
        "--results",
        type=Path,
        default=Path("mutants.jsonl"),
        help="where results are kept, and looked up",
    )
    given = options.parse_args()
    os.chdir(ROOT)
    alive: dict[str, bool] = {}
    if given.results.exists():
        alive = {
            row["mutant"]: row["alive"]
            for row in map(json.loads, given.results.read_text(encoding="utf-8").splitlines())
        }
    store = TemporaryDirectory()
    pytest.main(
        [
            "-qq",
            "--collect-only",
            *sorted({test for name in given.areas for test in AREAS[name].tests}),
        ]
    )  # loads the modules that the forks share
    seconds = dict[str, int]()  # of processor time: a mutant that takes longer hangs
    for name in given.areas:
        _small_store_for(AREAS[name], Path(store.name))
        before = os.times().children_user
        if not survives(None, list(AREAS[name].tests)):
            sys.exit(f"The tests of {name} fail without a mutant.")
        seconds[name] = 20 + round(2 * (os.times().children_user - before))
    end = time.monotonic() + 60 * given.minutes
    for name in given.areas:
        _small_store_for(AREAS[name], Path(store.name))
        everything = [
            m for m in mutants(AREAS[name]) if not given.modules or m.module.stem in given.modules
        ]
        drawn = Random(given.seed).sample(everything, min(given.sample, len(everything)))
        for mutant in drawn:
            if str(mutant) not in alive and time.monotonic() < end:
                alive[str(mutant)] = survives(mutant, tests_of(mutant, AREAS[name]), seconds[name])
                with given.results.open("a", encoding="utf-8") as file:
                    file.write(
                        json.dumps({"mutant": str(mutant), "alive": alive[str(mutant)]}) + "\n"
                    )
        tried = [m for m in drawn if str(m) in alive]
        for mutant in tried:
            if alive[str(mutant)]:
                print(f"ALIVE {mutant}")
        if tried:
            num_killed = sum(not alive[str(m)] for m in tried)
            print(
                f"{name}: killed {share(num_killed, len(tried))} of {len(everything)} mutants; {len(drawn) - len(tried)} to go",
                flush=True,
            )


if __name__ == "__main__":
    main()
