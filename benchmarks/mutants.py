"""How many mutants of the synthesis's rules the tests notice: one comparison, number, connective or condition turned at a time.

    python -m benchmarks.mutants [--folders drafting filters certificate pictures] [--sample 100] [--seed 0]

Every place of the folders' modules where one of `turned` fits gives a mutant; a sample of them, drawn by the seed, is run. A mutant runs in a
fork of a process that has imported the large libraries and nothing of `transforms`, against the tests of its folder (and of `writing`, whose
tests run the certificate's); pytest stops at the first test that fails. Lines of `assert`, docstrings and annotations are left alone.
"""
import argparse
import ast
import copy
import importlib.abc
import importlib.util
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import apache_beam  # noqa: F401 (imported once for all forks)
import numpy  # noqa: F401
import pyarrow  # noqa: F401
import pytest

from benchmarks.truth import share

ROOT = Path(__file__).parent.parent
TESTS = {"drafting": ["drafting", "certificate"], "filters": ["filters"], "certificate": ["certificate", "drafting", "filters/test_string_filters.py"],
         "pictures": ["pictures"]}
COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
            ast.Is: ast.IsNot, ast.IsNot: ast.Is}


@dataclass(frozen=True)
class Mutant:
    """The n-th place of a module at which something can be turned."""

    module: Path
    number: int
    line: int
    words: str

    def __str__(self) -> str:
        return f"{self.module.relative_to(ROOT)}:{self.line}: {self.words}"


def turned(node: ast.AST) -> ast.AST | None:
    """The node with one thing turned around, or None where there is nothing to turn."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in COMPARED:
            return ast.Compare(left=node.left, ops=[COMPARED[type(op)]()], comparators=node.comparators)
        case ast.BoolOp():
            return ast.BoolOp(op=ast.Or() if isinstance(node.op, ast.And) else ast.And(), values=node.values)
        case ast.UnaryOp(op=ast.Not()):
            return node.operand
        case ast.Constant(value=bool(value)):
            return ast.Constant(value=not value)
        case ast.Constant(value=int(value) | float(value)):
            return ast.Constant(value=value + 1)
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            return ast.BinOp(left=node.left, op=ast.Sub() if isinstance(node.op, ast.Add) else ast.Add(), right=node.right)
        case ast.If() | ast.IfExp():
            other = copy.deepcopy(node)
            other.test = ast.UnaryOp(op=ast.Not(), operand=node.test)
            return other
    return None


class _Turn(ast.NodeTransformer):
    """Turns the n-th place of a tree; counts all where n is -1."""

    def __init__(self, number: int) -> None:
        self.number, self.found = number, list[tuple[int, str]]()

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Assert | ast.arg):
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


def mutants(folders: list[str]) -> Iterator[Mutant]:
    """All mutants of the modules of some folders below `transforms`."""
    for folder in folders:
        for module in sorted((ROOT / "transforms" / folder).glob("*.py")):
            walk = _Turn(-1)
            walk.visit(ast.parse(module.read_text(encoding="utf-8")))
            yield from (Mutant(module, n, line, words) for n, (line, words) in enumerate(walk.found))


class _Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module with its mutant in place."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant, self.name = mutant, ".".join(mutant.module.relative_to(ROOT).with_suffix("").parts)

    def find_spec(self, fullname, path=None, target=None):
        return importlib.util.spec_from_file_location(fullname, self.mutant.module, loader=self) if fullname == self.name else None

    def exec_module(self, module) -> None:
        tree = ast.parse(self.mutant.module.read_text(encoding="utf-8"))
        _Turn(self.mutant.number).visit(tree)
        exec(compile(ast.fix_missing_locations(tree), str(self.mutant.module), "exec"), vars(module))


def survives(mutant: Mutant | None, tests: list[str], seconds: int = 120) -> bool:
    """Whether the tests pass with the mutant in place; one that makes them hang is noticed."""
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
            sys.meta_path.insert(0, _Mutated(mutant))
        os._exit(int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-m", "not slow", *tests])))


def main() -> None:
    """Prints each mutant that no test noticed, and the share of those that one did."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--folders", nargs="+", default=sorted(TESTS), choices=sorted(TESTS))
    options.add_argument("--modules", nargs="*", default=[], help="only modules of these names")
    options.add_argument("--sample", type=int, default=100)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    os.chdir(ROOT)
    everything = [m for m in mutants(given.folders) if not given.modules or m.module.stem in given.modules]
    drawn = Random(given.seed).sample(everything, min(given.sample, len(everything)))
    killed = 0
    for mutant in drawn:
        alive = survives(mutant, [f"tests/transforms/{name}" for name in TESTS[mutant.module.parent.name]])
        killed += not alive
        if alive:
            print(f"ALIVE {mutant}", flush=True)
    print(f"killed {share(killed, len(drawn))} of a sample of {len(everything)} mutants")


if __name__ == "__main__":
    main()
