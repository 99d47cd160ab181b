"""Finds the files that name a part of the program, such as a filter. Whoever adds another filter
must change every file that names the existing filters.

    python -m benchmarks.adding [NAME …] [--at COMMIT]

If no names are given, the script takes one part of each kind from `EXAMPLES`. For each name, the
script lists and counts the files of the program whose code names the part. A file names a part if
the part's name occurs in quotes, as a constant, as the name of a function that makes the part, or
as a key of a table. The name of an imported or called module counts too, and so does the file's own
name. The count is too high where a file uses a part but would need no change for a new part. Tests,
benchmarks, recipes, presets and prose are left out. Without `--at`, the script reads the files that
git tracks in the working tree.
"""

import argparse
import subprocess
from pathlib import PurePosixPath

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
PATHS = (
    *(f":(glob){floor}/**/*.{kind}" for floor in FLOORS for kind in ("py", "jinja", "html", "txt")),
    ":(glob)eval/*.yaml",
)
EXAMPLES = {
    "filter": "quotas",
    "tool": "flip",
    "search provider": "google_images",
    "export format": "sharegpt",
    "benchmark": "simplevqa",
}


def naming(name: str, commit: str = "") -> list[str]:
    """The files that name a part, in the working tree or in a commit."""
    forms = (
        f"[\"'`]{name}[\"'`]",
        rf"\b{name.upper()}\b",
        rf"\bmake_{name}\b",
        rf"\bimport .*\b{name}\b",
        rf"\b{name}\.[A-Z]",
        rf"^    {name},$",
        rf"^{name}:",
    )
    at = [commit] if commit else []
    found = _git("grep", "--no-color", "-lP", "|".join(forms), *at, "--", *PATHS)
    tracked = (
        _git("ls-tree", "-r", "--name-only", commit) if commit else _git("ls-files", "--", *PATHS)
    )
    own = [
        path
        for path in tracked
        if PurePosixPath(path).stem == name and path.partition("/")[0] in FLOORS
    ]
    return sorted({*own, *(line.removeprefix(f"{commit}:") for line in found)})


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True)
    if done.returncode > 1 or (done.returncode and done.stderr):
        raise SystemExit(done.stderr.strip())
    return done.stdout.splitlines()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--at", default="", help="a commit")
    given = parser.parse_args()
    asked = {name: name for name in given.names} or {
        f"{kind} {name}": name for kind, name in EXAMPLES.items()
    }
    for shown, name in asked.items():
        files = naming(name, given.at)
        print(f"{shown}: {len(files)} files")
        for path in files:
            print(f"    {path}")


if __name__ == "__main__":
    main()
