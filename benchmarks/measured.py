"""Writes the page of measured figures, `docs/measured.md`: `python -m benchmarks.measured`.

`benchmarks/measured/figures.tsv` has one line per measurement. If several lines have the same table
and the same thing measured (`what`), the page shows the last of these lines. `tables.tsv` lists the
tables in the page's order, each with a sentence about it. The following command adds a figure, with
today's date and the commit of this checkout:

    python -m benchmarks.measured --add TABLE WHAT FIGURE --interval "1 to 2" --goal 3 --machine "2 cores, quiet" --command "python -m …"
"""

import argparse
import csv
import subprocess
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

FOLDER = Path(__file__).parent / "measured"
PAGE = Path(__file__).parents[1] / "docs" / "measured.md"

HEAD = """# Measured

`python -m benchmarks.measured` writes this page from `benchmarks/measured/figures.tsv`.
The figures date from {first} to {last}; that file gives each figure's date, machine, command and commit.
Most runs shared two cores with other jobs, so trust ratios more than seconds.
Nothing was measured on a GPU or with a large model. `python -m benchmarks.readings` prints what readers judged.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measurement. The column `figure` includes the unit. The column `interval` has a 95 %
    interval, unless its text says otherwise.
    """

    table: str
    what: str
    figure: str
    interval: str = ""
    goal: str = ""
    machine: str
    command: str
    date: str
    commit: str


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def read_figures() -> list[Figure]:
    return [Figure(**row) for row in read_rows(FOLDER / "figures.tsv")]


def read_tables() -> dict[str, str]:
    """The sentence about each table, in the order of the page."""
    return {row["table"]: row["sentence"] for row in read_rows(FOLDER / "tables.tsv")}


def shown_command(command: str) -> str:
    """Shortens a command for the page. A benchmark is shown by its name. Other commands are shown
    without their options.
    """
    if command == "no script":
        return command
    command = command.partition(" --")[0]
    name = command.removeprefix("python -m benchmarks.")
    return f"`{command if name == command else name.split()[0]}`"


def page(figures: Iterable[Figure], tables: dict[str, str]) -> str:
    """Makes the text of the page, with the newest figure of each measured thing.

    Raises:
        ValueError: A figure names a table that is not in `tables.tsv`.
    """
    newest = {(figure.table, figure.what): figure for figure in figures}
    unknown = {table for table, _ in newest} - set(tables)
    if unknown:
        raise ValueError(f"{FOLDER / 'tables.tsv'}: add a line for {', '.join(sorted(unknown))}")
    dates = [figure.date for figure in newest.values()]
    parts = [HEAD.format(first=min(dates), last=max(dates))]
    for table, sentence in tables.items():
        parts += [f"\n## {table}\n\n{sentence}\n\n"]
        parts += ["| what | figure | interval | goal | by |\n|---|---|---|---|---|\n"]
        parts += [
            f"| {figure.what} | {figure.figure} | {figure.interval} | {figure.goal} "
            f"| {shown_command(figure.command)} |\n"
            for (of, _), figure in newest.items()
            if of == table
        ]
    return "".join(parts)


def add(figure: Figure) -> None:
    """Appends a figure to `figures.tsv`."""
    cells = astuple(figure)
    if any(mark in cell for cell in cells for mark in "\t\n|"):
        raise ValueError("a cell holds a tab, a line's end or a bar; write it without")
    with (FOLDER / "figures.tsv").open("a", encoding="utf-8") as file:
        file.write("\t".join(cells) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description="Write docs/measured.md, after adding a figure")
    parser.add_argument("--add", nargs=3, metavar=("TABLE", "WHAT", "FIGURE"))
    for option in ("interval", "goal"):
        parser.add_argument(f"--{option}", default="")
    for option in ("machine", "command"):
        parser.add_argument(f"--{option}", help="needed with --add")
    arguments = parser.parse_args()
    tables = read_tables()
    if arguments.add:
        if not (arguments.machine and arguments.command):
            parser.error("a figure needs --machine and --command")
        if arguments.add[0] not in tables:
            parser.error(f"no table {arguments.add[0]!r}; there are: {', '.join(tables)}")
        commit = subprocess.run(
            ["git", "rev-parse", "--short=8", "HEAD"], capture_output=True, text=True, check=True
        )
        table, what, shown = arguments.add
        add(
            Figure(
                table=table,
                what=what,
                figure=shown,
                interval=arguments.interval,
                goal=arguments.goal,
                machine=arguments.machine,
                command=arguments.command,
                date=datetime.now(UTC).date().isoformat(),
                commit=commit.stdout.strip(),
            )
        )
    PAGE.write_text(page(read_figures(), tables), encoding="utf-8")
    print(f"{PAGE}: {len(tables)} tables")


COLUMNS = [field.name for field in fields(Figure)]

if __name__ == "__main__":
    main()
