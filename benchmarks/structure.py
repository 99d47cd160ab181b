"""Prints figures about the code of one checkout, or of several checkouts side by side.

    python -m benchmarks.structure [CHECKOUT …]

Without arguments, the script reads the checkout in which it lies. The script measures size in
statements, because longer lines do not make code smaller. The table shows statements by folder, the
longest functions, lines over 120 columns, and files over 400 lines. Further lines show how many
top-level packages an installation adds, and how many settings a recipe has. The last lines show the
seconds that an import of the recipe's types takes: the shortest time of five new processes. The
last lines also show, for each filter, the number of files that name it.
"""

import argparse
import ast
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

FOLDERS = "records language files calls knowledge models prompts agent transforms train eval recipes pipeline"
FILTERS = "duplicates text_search image_search text_only no_tools too_simple solvable visible_text"
SETTINGS = """
import dataclasses, typing
from {package}pipeline.recipe import Recipe
def count(kind, seen=()):
    found = 0
    for field, hint in typing.get_type_hints(kind).items():
        inner = [t for t in (hint, *typing.get_args(hint)) if dataclasses.is_dataclass(t)]
        found += sum(count(t, (*seen, kind)) for t in inner if t not in seen) if inner else 1
    return found
print(count(Recipe))
"""


def statements(node: ast.AST) -> int:
    """The number of statements below a node of the syntax tree, without docstrings."""
    return sum(
        isinstance(each, ast.stmt)
        and not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        for each in ast.walk(node)
    )


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for each in ast.walk(tree):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
            yield each


def modules(root: Path) -> dict[Path, str]:
    """The text of every installed module, by its path below `root`."""
    return {
        path.relative_to(root): path.read_text(encoding="utf-8")
        for folder in FOLDERS.split()
        for path in sorted((root / folder).rglob("*.py"))
    }


def imports(root: Path) -> float:
    """The shortest time in seconds of five imports of the recipe's types, each in a new process."""
    command = [sys.executable, "-c", f"import {package(root)}pipeline.recipe"]
    least = float("inf")
    for _ in range(5):
        begun = time.perf_counter()
        subprocess.run(command, cwd=root, check=True, capture_output=True)
        least = min(least, time.perf_counter() - begun)
    return least


def package(root: Path) -> str:
    """The prefix that a folder's modules have in an import."""
    return "questloom." if (root / "questloom").is_dir() else ""


def naming(texts: dict[Path, str], name: str) -> int:
    """The number of modules that name a filter in code. The name must be a separate word, and
    docstrings do not count.
    """
    found = 0
    for text in texts.values():
        tree = ast.parse(text)
        words: set[str] = set()
        for each in ast.walk(tree):
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                words.add(each.value)
            elif isinstance(each, ast.Attribute):
                words.add(each.attr)
            elif isinstance(each, ast.Name):
                words.add(each.id)
            elif isinstance(each, ast.keyword | ast.arg) and each.arg:
                words.add(each.arg)
        found += name in words
    return found


def format_checkout(root: Path) -> Iterator[str]:
    """The lines about one checkout."""
    texts = modules(root)
    trees = {path: ast.parse(text) for path, text in texts.items()}
    sizes: Counter[str] = Counter()
    for path, tree in trees.items():
        sizes[path.parts[0]] += statements(tree)
    lines = [line for text in texts.values() for line in text.splitlines()]
    longest = sorted(
        (
            (statements(each) - 1, f"{path}:{each.name}")
            for path, tree in trees.items()
            for each in functions(tree)
        ),
        reverse=True,
    )
    yield f"statements       {sizes.total():,}: " + ", ".join(
        f"{name} {sizes[name]:,}" for name in FOLDERS.split() if sizes[name]
    )
    yield "longest          " + ", ".join(f"{name} {size}" for size, name in longest[:5])
    yield f"functions        {len(longest):,}, {sum(size > 40 for size, _ in longest)} of more than 40 statements"
    yield f"lines            {len(lines):,}, {sum(len(line) > 120 for line in lines) / len(lines):.1%} over 120 columns"
    yield f"files            {len(texts)}, {sum(text.count(chr(10)) > 400 for text in texts.values())} over 400 lines"
    names = (
        ["questloom"]
        if package(root)
        else [name for name in FOLDERS.split() if (root / name).is_dir()]
    )
    yield f"names installed  {len(names)}"
    counted = subprocess.run(
        [sys.executable, "-c", SETTINGS.format(package=package(root))],
        cwd=root, check=True, capture_output=True, text=True,
    )  # fmt: skip
    yield f"settings         {counted.stdout.strip()} of a recipe"
    yield f"import           {imports(root):.2f} s for the recipe's types"
    yield "files that name  " + ", ".join(
        f"{name} {naming(texts, name)}" for name in FILTERS.split()
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").splitlines()[0], epilog="Docstrings are not counted."
    )
    parser.add_argument("checkouts", nargs="*", type=Path, default=[Path(__file__).parents[1]])
    for root in parser.parse_args().checkouts:
        print(root.resolve().name, *format_checkout(root.resolve()), sep="\n  ")


if __name__ == "__main__":
    main()
