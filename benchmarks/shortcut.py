"""How many of a run's questions the shortcut solver answers, in how many calls and by which move, by level.

    python -m benchmarks.shortcut RUN STORE             all kept questions of a finished synth run over the store that it was made from
    python -m benchmarks.shortcut RUN STORE --list      each right answer with its question

Where questions have a route, it prints the rank correlation of its price with the calls, and every question that was answered in fewer.
Answers are judged by the rules of the answer judge, without a model.
"""

import argparse
import asyncio
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from questloom.agent.judges.answer import judge_by_rules
from questloom.agent.play.player import Player, Task
from questloom.agent.providers.local_provider import LocalProvider
from questloom.agent.shortcut.shortcut_engine import ShortcutEngine
from questloom.agent.shortcut.shortcut_solver import MAX_CALLS
from questloom.agent.tool_settings import ALL_TOOLS, CONFINED
from questloom.agent.tools import ToolBox, ToolSettings
from questloom.agent.turns.limits import Limits
from questloom.knowledge.store import Store
from questloom.models.clip import Clip
from questloom.records.episodes import Episode, Outcome
from questloom.records.synthesis import Question
from questloom.transforms.stages.run_folder import RunFolder

LEAST = 3
"""Questions of a level below which no correlation is printed."""


@dataclass(frozen=True)
class Played:
    """A question and how the shortcut solver fared."""

    question: Question
    episode: Episode
    right: bool

    @property
    def num_calls(self) -> int:
        return sum(turn.call is not None for turn in self.episode.turns)

    @property
    def move(self) -> str:
        """By which move the answer was reached, as the last thought says it."""
        found = re.search(r"that I found, by (\w+)\.", self.episode.turns[-1].text)
        return found[1] if found else "none"

    @property
    def route_calls(self) -> int | None:
        """The price of the cheapest route; None of a question without one."""
        return getattr(getattr(self.question, "route", None), "calls", None)


async def play(
    questions: Iterable[Question], run: RunFolder, store: Store, clip: str, max_calls: int
) -> list[Played]:
    """Plays each question once, one after the other."""
    tools = tuple(name for name in ALL_TOOLS if name != CONFINED)
    box = ToolBox(LocalProvider(store, Clip.load(clip)), settings=ToolSettings(tools=tools))
    player = Player(
        ShortcutEngine(tools=tools, max_calls=max_calls),
        box,
        Limits(calls=max_calls, tokens=1_000_000),
    )
    played = []
    for question in questions:
        task = Task(
            task_id=question.id,
            question=question.text,
            pictures=(run.read_picture(question.image_id),),
            withheld_pictures=frozenset((question.source_image_id,)),
        )
        episode = await player.play(task)
        judged = judge_by_rules(
            question.answer, episode.answer, question=question.text, language=question.language
        )
        played.append(Played(question, episode, judged.outcome is Outcome.CORRECT))
    return played


def level_line(level: str, played: list[Played]) -> str:
    """Right, calls and moves of a level's questions."""
    right = [p for p in played if p.right]
    calls = statistics.mean(p.num_calls for p in played)
    of_right = f"{statistics.mean(p.num_calls for p in right):.1f}" if right else "-"
    moves = ", ".join(f"{m} {n}" for m, n in Counter(p.move for p in right).most_common())
    return (
        f"{level}: right {len(right)} of {len(played)} ({len(right) / len(played):.0%}), "
        f"calls {calls:.1f}, of the right ones {of_right}; by move: {moves or 'none'}"
    )


def rank_correlation(first: Sequence[int], second: Sequence[int]) -> float:
    """Spearman's; equal values share their mean rank. Not a number where one of both does not vary."""
    ranks = []
    for values in map(np.asarray, (first, second)):
        below = (values[:, None] > values).sum(1)
        same = (values[:, None] == values).sum(1)
        ranks.append(below + (same - 1) / 2)
    if min(r.std() for r in ranks) == 0:
        return float("nan")
    return float(np.corrcoef(*ranks)[0, 1])


def route_lines(level: str, played: list[Played]) -> list[str]:
    """Rank correlation of the route's price with the calls, and the questions answered in fewer calls than it says."""
    priced = [(p, calls) for p in played if (calls := p.route_calls) is not None]
    lines = []
    if len(priced) >= LEAST:
        rank = rank_correlation([c for _, c in priced], [p.num_calls for p, _ in priced])
        lines.append(f"{level}: rank correlation of route and calls {rank:.2f} (n {len(priced)})")
    return lines + [
        f"  hole: {p.num_calls} calls, route {calls}: {p.question.id} {p.question.text}"
        for p, calls in priced
        if p.right and p.num_calls < calls
    ]


def main() -> None:
    """Prints the table, and with --list the right answers."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=RunFolder)
    parser.add_argument("store")
    parser.add_argument("--stage", default="split", help="whose kept questions are played")
    parser.add_argument("--clip", default="small")
    parser.add_argument("--calls", type=int, default=MAX_CALLS)
    parser.add_argument("--first", type=int, default=0, help="only so many questions")
    parser.add_argument("--list", action="store_true", help="each right answer with its question")
    given = parser.parse_args()
    label = given.run.label(given.stage)
    questions = sorted(given.run.read(label, "kept", Question), key=lambda q: q.id) if label else []
    if not questions:
        parser.error(f"the run has no kept question in a stage {given.stage!r}")
    questions = questions[: given.first or None]
    store = Store.open(given.store)
    played = asyncio.run(play(questions, given.run, store, given.clip, given.calls))
    for level in (*sorted({p.question.level for p in played}), "all"):
        mine = [p for p in played if level in ("all", p.question.level)]
        print(level_line(level, mine))
        print(*route_lines(level, mine), sep="\n", end="\n" if route_lines(level, mine) else "")
    for p in played if given.list else []:
        mark = "right" if p.right else "wrong"
        print(f"{mark}, {p.num_calls} calls, {p.move}: {p.question.text} -> {p.episode.answer}")


if __name__ == "__main__":
    main()
