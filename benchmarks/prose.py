"""Words of prose by file: `python -m benchmarks.prose [--before COMMIT]` prints them now and at a commit.

Counted are `docs/` and every README: words with a letter or digit, outside fenced code. Generated references are not.
"""

import argparse
import re
import subprocess
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parent.parent
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
WORD = re.compile(r"\S*\w\S*")
LIMIT = 20_000
"""The most words that `docs/` and the READMEs may have together; a test holds it."""


def count_words(text: str) -> int:
    """
    >>> count_words("| a | 1 to 2 % |\\n\\n```\\nnot counted\\n```\\n")
    4
    """
    return len(WORD.findall(FENCED.sub("", text)))


def is_counted(name: str) -> bool:
    """Whether a file of the tree is prose that people read: a README, or a page right in `docs/`."""
    path = PurePosixPath(name)
    return path.name == "README.md" or (str(path.parent) == "docs" and path.suffix == ".md")


def git(*arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True
    ).stdout


def words_now() -> dict[str, int]:
    names = git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()
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


def main() -> None:
    parser = argparse.ArgumentParser(description="Words of prose by file")
    parser.add_argument("--before", metavar="COMMIT", default="HEAD", help="what to compare with")
    before, now = words_at(parser.parse_args().before), words_now()
    names = sorted({*before, *now}, key=lambda name: (-before.get(name, 0), name))
    for name in names:
        print(f"{before.get(name, 0):8,} {now.get(name, 0):8,}  {name}")
    print(f"{sum(before.values()):8,} {sum(now.values()):8,}  together, of at most {LIMIT:,}")


if __name__ == "__main__":
    main()
