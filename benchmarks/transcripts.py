"""Counts how many turns in conversations of other agents pass the strict format check, and why the
other turns fail.

    python -m benchmarks.transcripts FILE...

The script prints two lines per file. For the second line, the script adds an empty thought to each
turn without a thought. Data from the time before thinking models contains no thoughts, so in the
first line all its turns fail for one reason: the missing thought.
"""

import argparse
import datetime
import platform
import time
from collections import Counter
from pathlib import Path

from questloom.agent.turns.transcripts import read_transcripts
from questloom.agent.turns.turn_protocol import TurnProtocol


def shares(path: Path) -> tuple[int, Counter[str], Counter[str]]:
    """Returns the number of conversations, and two counts of turns by verdict. A verdict is "ok" or
    the rule that the turn breaks. The first count of turns is for the turns as stored, and the
    second count is for turns with added empty thoughts.
    """
    num, plain, mended = 0, Counter[str](), Counter[str]()
    for transcript in read_transcripts(path):
        num += 1
        protocol = TurnProtocol(transcript.schemas)
        for turn in transcript.turns:
            plain[turn.violation or "ok"] += 1
            text = (
                turn.text
                if turn.text.lstrip().startswith("<think>")
                else f"<think></think>{turn.text}"
            )
            mended[protocol.check(text).violation or "ok"] += 1
    return num, plain, mended


def format_counts(counts: Counter[str]) -> str:
    """The share of turns that pass, and the number of failures by reason."""
    num = counts.total()
    rest = ", ".join(
        f"{reason} {count}" for reason, count in counts.most_common() if reason != "ok"
    )
    return f"{counts['ok']} of {num} turns pass ({counts['ok'] / num if num else 0:.1%})" + (
        f"; {rest}" if rest else ""
    )


def main() -> None:
    """Prints the lines of each file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    print(f"{datetime.date.today()}, Python {platform.python_version()}")
    for path in parser.parse_args().files:
        began = time.perf_counter()
        num, plain, mended = shares(path)
        milliseconds = (time.perf_counter() - began) * 1e3 / max(1, plain.total())
        print(
            f"{path.name}: {num} conversations, {format_counts(plain)};"
            f" {milliseconds:.2f} ms a turn, checked twice"
        )
        print(f"  with empty thoughts put before: {format_counts(mended)}")


if __name__ == "__main__":
    main()
