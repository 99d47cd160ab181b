"""Which files of the program name a thing that people add: what adding another one touches.

    python -m benchmarks.adding visible_text no_tools [--at COMMIT]

For each name it prints the number of files of the program's packages that name it as a word (also as the constant, the maker and the
settings of that name), and the files. Tests, benchmarks, recipes and prose are left out. Without `--at` it reads what git tracks in the
working tree.
"""

import argparse
import subprocess

FLOORS = (
    "pipeline",
    "train",
    "eval",
    "transforms",
    "agent",
    "prompts",
    "models",
    "knowledge",
    "calls",
    "files",
    "records",
)
KINDS = ("py", "jinja", "html", "txt")


def naming(name: str, commit: str = "") -> list[str]:
    """The files that name a thing, in the working tree or in a commit."""
    words = (name, name.upper(), f"make_{name}")
    command = ["git", "grep", "--no-color", "-lwE", "|".join(words), *([commit] if commit else [])]
    paths = [f":(glob){floor}/**/*.{kind}" for floor in FLOORS for kind in KINDS]
    done = subprocess.run([*command, "--", *paths], capture_output=True, text=True)
    if done.returncode > 1:
        raise SystemExit(done.stderr.strip())
    return [line.removeprefix(f"{commit}:") for line in done.stdout.splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="+")
    parser.add_argument("--at", default="", help="a commit")
    given = parser.parse_args()
    for name in given.names:
        files = naming(name, given.at)
        print(f"{name}: {len(files)} files")
        for path in files:
            print(f"    {path}")


if __name__ == "__main__":
    main()
