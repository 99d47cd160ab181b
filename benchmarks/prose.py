"""Counts the words of prose in each file, now and at a commit.

    python -m benchmarks.prose [--before COMMIT]

With `--sentences 40 --seed 1`, the script instead prints random sentences of docs, READMEs and
docstrings, so that a reader can judge them. The counts cover the pages of `docs/` and every README.
A word is a string between spaces with at least one letter or digit. Fenced code does not count.
Generated references are not counted.
"""

import argparse
import ast
import random
import re
import subprocess
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parent.parent
ARGUMENT = r"\*{0,2}\w+: "
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
WORD = re.compile(r"\S*\w\S*")
LIMIT = 20_000
"""The maximum number of words in `docs/` and all READMEs together. A test checks that the texts
stay below this maximum.
"""


def count_words(text: str) -> int:
    """
    >>> count_words("| a | 1 to 2 % |\\n\\n```\\nnot counted\\n```\\n")
    4
    """
    return len(WORD.findall(FENCED.sub("", text)))


def is_counted(name: str) -> bool:
    """Whether a file is prose for people: a README, or a page that lies directly in `docs/`."""
    path = PurePosixPath(name)
    return path.name == "README.md" or (str(path.parent) == "docs" and path.suffix == ".md")


def git(*arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True
    ).stdout


def words_now() -> dict[str, int]:
    names = git("ls-files").splitlines()
    return {
        name: count_words((ROOT / name).read_text(encoding="utf-8"))
        for name in sorted(names)
        if is_counted(name) and (ROOT / name).exists()
    }


def words_at(commit: str) -> dict[str, int]:
    names = git("ls-tree", "-r", "--name-only", commit).splitlines()
    return {
        name: count_words(git("show", f"{commit}:{name}")) for name in names if is_counted(name)
    }


def docstrings(text: str) -> list[str]:
    """The docstrings of a module, of its classes and functions, and the strings below its
    attributes.

    >>> docstrings("'One.'\\nx = 1\\n'Two.'\\ndef f():\\n    'Three.'\\n")
    ['One.', 'Two.', 'Three.']
    """
    return [
        node.value.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]


def sentences(text: str) -> list[str]:
    """The sentences of a text, without fenced code, headings and tables.

    >>> sentences("# Head\\n\\nOne is here. Two\\nis there.\\n\\n| a table |\\n\\n* An item: e.g. this one.\\n")
    ['One is here.', 'Two is there.', 'An item: e.g. this one.']

    Each argument in a docstring counts as an item of a list.

    >>> sentences("Reads a row.\\n\\nArgs:\\n    path: of the file.\\n    limit: number of rows.\\n")
    ['Reads a row.', 'path: of the file.', 'limit: number of rows.']
    """
    blocks = re.split(rf"\n\s*\n|\n\s*(?=[*-] |\d+\. |{ARGUMENT})", FENCED.sub("", text))
    kept = (re.sub(r"^([*-]|\d+\.) ", "", " ".join(block.split())) for block in blocks)
    return [
        sentence
        for block in kept
        if not block.startswith(("#", "|", ">>>", "!["))
        for sentence in re.split(r"(?<=[.?!])\s+(?=[A-Z`*\"])", block)
        if len(sentence.split()) > 2
    ]


def drawn_sentences(number: int, seed: int) -> list[str]:
    """Draws random sentences from all files, each with the name of its file."""
    found = []
    for name in sorted(git("ls-files").splitlines()):
        path = ROOT / name
        if is_counted(name):
            texts = [path.read_text(encoding="utf-8")]
        elif path.suffix == ".py" and not name.startswith("tests/"):
            texts = docstrings(path.read_text(encoding="utf-8"))
        else:
            continue
        found += [f"{name}: {sentence}" for text in texts for sentence in sentences(text)]
    return random.Random(seed).sample(found, number)


def main() -> None:
    parser = argparse.ArgumentParser(description="Words of prose by file, or sentences to read")
    parser.add_argument("--before", metavar="COMMIT", default="HEAD", help="what to compare with")
    parser.add_argument("--sentences", type=int, help="draw this many sentences instead")
    parser.add_argument("--seed", type=int, default=0, help="of the sentences")
    arguments = parser.parse_args()
    if arguments.sentences:
        print("\n".join(drawn_sentences(arguments.sentences, arguments.seed)))
        return
    before, now = words_at(arguments.before), words_now()
    names = sorted({*before, *now}, key=lambda name: (-before.get(name, 0), name))
    for name in names:
        print(f"{before.get(name, 0):8,} {now.get(name, 0):8,}  {name}")
    print(f"{sum(before.values()):8,} {sum(now.values()):8,}  together, of at most {LIMIT:,}")


if __name__ == "__main__":
    main()
