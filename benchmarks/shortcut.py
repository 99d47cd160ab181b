"""Compares the price of each question's route with the number of calls that two agents make, for
each level. The agents are the shortcut solver and the oracle.

* `python -m benchmarks.shortcut RUN STORE` plays all kept questions of a finished synth run. STORE
  is the store from which the run was made.
* `--list` also prints each right answer with its question.

A route is the cheapest sequence of tool calls that identifies the answer. The price of a route is
the number of its calls. The shortcut solver is an agent that tries to find the answer with fewer
calls than the route has. The script prints how often the shortcut solver is right. The script also
lists every question that the shortcut solver answers with fewer calls than the route has. The
script also prints two rank correlations of the route's price. One correlation is between the
route's price and the solver's number of calls. The other correlation is between the route's price
and the number of calls in the oracle's kept episodes. The correlations are Spearman's, with 95 %
bootstrap intervals. `hit` says how early the oracle finds the answer: the first turn whose result
contains the answer, divided by the number of turns. The rules of the answer judge decide which
answers are right. No model takes part.
"""

import argparse
import asyncio
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.truth import share
from questloom.agent.judges.answer import judge_by_rules
from questloom.agent.play.player import Player, Task
from questloom.agent.providers.local_provider import LocalProvider
from questloom.agent.shortcut.shortcut_engine import ShortcutEngine
from questloom.agent.shortcut.shortcut_solver import MAX_CALLS
from questloom.agent.tool_settings import ALL_TOOLS, CONFINED
from questloom.agent.tools import ToolBox, ToolSettings
from questloom.agent.turns.limits import Limits
from questloom.knowledge.store import Store
from questloom.language.names_in_text import leaked
from questloom.models.clip import Clip
from questloom.records.episodes import Episode, Outcome
from questloom.records.route import Route
from questloom.records.synthesis import Answer, Question
from questloom.records.trajectories import Trajectory
from questloom.transforms.certificate.execute import binding_of
from questloom.transforms.certificate.leak import answer_names
from questloom.transforms.facts.lookups import Facts, Lookups
from questloom.transforms.planning.route import find_route
from questloom.transforms.stages.run_folder import RunFolder

LEAST = 5
"""The minimum number of questions in a level for which the script prints a correlation."""
NUM_RESAMPLED = 1_000
GOALS = {"easy": 0.4, "medium": 0.15, "hard": 0.05}
"""For each level, the maximum share of questions that the shortcut solver may answer."""


@dataclass(frozen=True)
class Played:
    """A question, with the episode and the result of the shortcut solver."""

    question: Question
    episode: Episode
    right: bool
    route: Route
    """The route as the current code computes it. The route that the run stores may be older."""

    @property
    def num_calls(self) -> int:
        return num_calls(self.episode)

    @property
    def move(self) -> str:
        """The move that led the solver to the answer, according to the last thought."""
        found = re.search(r"that I found, by (\w+)\.", self.episode.turns[-1].text)
        return found[1] if found else "none"


def num_calls(episode: Episode) -> int:
    return sum(turn.call is not None for turn in episode.turns)


def trajectories(run: RunFolder) -> dict[str, Trajectory]:
    """Returns the first kept teacher episode for each question, by the question's id. The mapping
    is empty if the run has no teacher.
    """
    teacher = RunFolder(f"{run.path}/episodes/teacher")
    label = teacher.label("keep")
    found: dict[str, Trajectory] = {}
    for trajectory in teacher.read(label, "kept", Trajectory) if label else ():
        found.setdefault(trajectory.question_id, trajectory)
    return found


async def play(
    questions: Iterable[Question], run: RunFolder, store: Store, clip: str, max_calls: int
) -> list[Played]:
    """Plays all questions, each once, one after the other."""
    tools = tuple(name for name in ALL_TOOLS if name != CONFINED)
    box = ToolBox(LocalProvider(store, Clip.load(clip)), settings=ToolSettings(tools=tools))
    player = Player(
        ShortcutEngine(tools=tools, max_calls=max_calls),
        box,
        Limits(calls=max_calls, tokens=1_000_000),
    )
    facts, played = Lookups(store), []
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
        form = question.logical_form
        assert form is not None, "the questions of a certified run have a form"
        route = find_route(form, binding_of(question.bindings), facts)
        played.append(Played(question, episode, judged.outcome is Outcome.CORRECT, route))
    return played


def level_line(level: str, played: list[Played]) -> str:
    """Formats the right answers, the calls and the moves for the questions of one level."""
    right = [p for p in played if p.right]
    calls = statistics.mean(p.num_calls for p in played)
    of_right = f"{statistics.mean(p.num_calls for p in right):.1f}" if right else "-"
    moves = ", ".join(f"{m} {n}" for m, n in Counter(p.move for p in right).most_common())
    goal = f", goal {GOALS[level]:.0%}" if level in GOALS else ""
    return (
        f"{level}: right {share(len(right), len(played))}{goal}; "
        f"calls {calls:.1f}, of the right ones {of_right}; by move: {moves or 'none'}"
    )


def rank_correlation(first: Sequence[int], second: Sequence[int]) -> float:
    """Spearman's rank correlation. Equal values share their mean rank. The result is NaN if one
    sequence is constant.
    """
    ranks = []
    for values in map(np.asarray, (first, second)):
        below = (values[:, None] > values).sum(1)
        same = (values[:, None] == values).sum(1)
        ranks.append(below + (same - 1) / 2)
    if min(r.std() for r in ranks) == 0:
        return float("nan")
    return float(np.corrcoef(*ranks)[0, 1])


def interval(first: Sequence[int], second: Sequence[int]) -> tuple[float, float]:
    """The 95 % bootstrap interval of `rank_correlation`. The result is NaN if no bootstrap sample
    has a correlation.
    """
    pairs, draw = np.array([first, second]), np.random.default_rng(0)
    samples = draw.integers(len(first), size=(NUM_RESAMPLED, len(first)))
    found = [rank_correlation(*pairs[:, rows]) for rows in samples]
    if np.isnan(found).all():
        return float("nan"), float("nan")
    low, high = np.nanquantile(found, (0.025, 0.975))
    return float(low), float(high)


def correlation_line(whose: str, pairs: Sequence[tuple[int, int]]) -> str:
    """The rank correlation between route prices and call counts, given as pairs (route, calls)."""
    if len(pairs) < LEAST:
        return f"  route and calls of the {whose}: {len(pairs)} questions, too few"
    routes, calls = zip(*pairs, strict=True)
    low, high = interval(routes, calls)
    return (
        f"  route (mean {statistics.mean(routes):.1f}) and calls of the {whose} (mean {statistics.mean(calls):.1f}): "
        f"{rank_correlation(routes, calls):.2f} [{low:.2f}, {high:.2f}], n {len(pairs)}"
    )


def hole_lines(played: Iterable[Played]) -> Iterator[str]:
    """The questions that the solver answered with fewer calls than the route has. Each question
    comes with its route and the solver's calls.
    """
    for p in played:
        if p.right and p.num_calls < p.route.calls:
            calls = [t.call for t in p.episode.turns if t.call]
            yield (
                f"  hole: {p.question.id} {p.question.text} -> {p.episode.answer}\n"
                f"    route {p.route.calls}: {', '.join(p.route.moves)}\n"
                f"    calls {p.num_calls}: {'; '.join(f'{c.name} {c.arguments}' for c in calls)[:400]}"
            )


def find_hit(facts: Facts, episode: Episode, answer: Answer, computed: bool) -> float | None:
    """The first turn whose result contains the answer, divided by the number of turns. The value is
    None if no turn's result contains the answer. A computed number stands by chance in other texts,
    so only results of computations count for it.
    """
    names = answer_names(facts, answer, ("en",))
    for number, turn in enumerate(episode.turns, 1):
        is_meant = not computed or (turn.call is not None and turn.call.name == CONFINED)
        if is_meant and turn.result is not None and leaked(turn.result.text, names):
            return number / len(episode.turns)
    return None


def hit_line(facts: Facts, kept: Iterable[tuple[Question, Trajectory]]) -> str:
    """The number of a level's episodes that find the answer only in their second half."""
    hits = [find_hit(facts, t.episode, t.answer, q.needs_computation) for q, t in kept]
    met = [hit for hit in hits if hit is not None]
    mean = f"{statistics.mean(met):.2f}" if met else "-"
    return (
        f"  hit in the second half of the oracle's episodes: {share(sum(hit > 0.5 for hit in met), len(hits))}, "
        f"mean {mean}, never {len(hits) - len(met)}"
    )


def main() -> None:
    """Prints the table. With `--list`, also prints the right answers."""
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
    oracle = trajectories(given.run)
    for level in (*sorted({p.question.level for p in played}), "all"):
        mine = [p for p in played if level in ("all", p.question.level)]
        shown = [(p, oracle[p.question.id]) for p in mine if p.question.id in oracle]
        print(level_line(level, mine))
        print(correlation_line("shortcut solver", [(p.route.calls, p.num_calls) for p in mine]))
        solved = [(p.route.calls, p.num_calls) for p in mine if p.right]
        print(correlation_line("shortcut solver where it is right", solved))
        of_oracle = [(p.route.calls, num_calls(t.episode)) for p, t in shown]
        print(correlation_line("oracle", of_oracle))
        print(hit_line(Lookups(store), [(p.question, t) for p, t in shown]))
    for line in hole_lines(played):
        print(line)
    for p in played if given.list else []:
        mark = "right" if p.right else "wrong"
        print(f"{mark}, {p.num_calls} calls, {p.move}: {p.question.text} -> {p.episode.answer}")


if __name__ == "__main__":
    main()
