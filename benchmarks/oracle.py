"""Measures how many kept questions the oracle solves with tools, and at which steps it fails. The
oracle is a scripted solver that knows each question's logical form.

* `python -m benchmarks.oracle RUN STORE` lets the oracle answer all kept questions of a finished
  run. STORE is the store from which the run was made.
* `--first 40` plays only the first 40 questions by id.
* `--list` prints each failure with its question, its step and both answers.
* `--stage no_tools` plays all questions that reach the oracle's filter, also those that the filter
  rejects.

Rules judge the oracle's answers and the way in which it found them. No model is asked.
"""

import argparse
import asyncio
import datetime
import os
import platform
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from questloom.agent.judges import process
from questloom.agent.judges.answer import judge_by_rules
from questloom.agent.oracle.desk import Ended
from questloom.agent.oracle.observation_reading import base, flat, key
from questloom.agent.oracle.oracle_engine import OracleEngine
from questloom.agent.oracle.puzzle import puzzle_from
from questloom.agent.play.player import Player, Task
from questloom.agent.providers.local_provider import LocalProvider
from questloom.agent.tool_settings import ALL_TOOLS, CONFINED
from questloom.agent.tools import ToolBox, ToolSettings
from questloom.agent.turns.limits import Limits
from questloom.knowledge.store import Store
from questloom.models.clip import Clip
from questloom.records.episodes import Episode, Outcome
from questloom.records.form import ClaimClause, Term
from questloom.records.knowledge import value_of_key
from questloom.records.synthesis import Question
from questloom.transforms.stages.run_folder import RunFolder, name_of

UNSPOKEN = frozenset({"P31"})
"""Relations whose object a page states in other words than the object's label."""


@dataclass(frozen=True)
class Played:
    """A question, the episode in which the oracle tried to solve it, and the result."""

    question: Question
    episode: Episode
    ended: Ended | None
    outcome: Outcome
    meant: dict[str, str]
    """The titles of the pages about the things for which the question's variables stand. Things
    without a page are left out."""

    @property
    def astray(self) -> str:
        """The variables at which the oracle first went wrong, counted from the picture: it found
        the wrong thing or nothing."""
        taken = dict(self.ended.bound) if self.ended else {}
        return "; ".join(
            f"{var} {f'taken for {taken[var]!r}' if var in taken else 'not found'}, meant {title!r}"
            for var, title in self.meant.items()
            if taken.get(var) != title and taken.get(var) != base(title)
        )

    @property
    def identified(self) -> bool:
        """Whether the oracle found out which thing the picture shows."""
        form = self.question.logical_form
        return (
            form is not None
            and not self.astray.startswith(f"{form.anchor} ")
            and f"; {form.anchor} " not in self.astray
        )

    @property
    def solved(self) -> bool:
        return self.outcome is Outcome.CORRECT

    @property
    def num_calls(self) -> int:
        return sum(turn.call is not None for turn in self.episode.turns)

    @property
    def failed_step(self) -> str:
        """The step at which the oracle failed; "a wrong answer" if no step failed but the answer
        was wrong."""
        if self.ended is None:
            return f"the episode ended: {self.episode.end} {self.episode.end_evidence}"
        return self.ended.failed or "a wrong answer"


async def play(
    questions: list[Question], run: RunFolder, store: Store, clip: str, max_calls: int
) -> list[Played]:
    """Lets the oracle (a scripted solver) answer the questions one after the other. The oracle
    never waits for a server, so one process uses a whole CPU core."""
    tools = tuple(
        name for name in ALL_TOOLS if name != CONFINED
    )  # the oracle computes without the Python tool; only its searches are measured
    box = ToolBox(LocalProvider(store, Clip.load(clip)), settings=ToolSettings(tools=tools))
    puzzles = {q.id: puzzle for q in questions if (puzzle := puzzle_from(q, store)) is not None}
    engine = OracleEngine(
        puzzles, tools=[schema["function"]["name"] for schema in box.schemas()], max_calls=max_calls
    )
    player = Player(engine, box, Limits(calls=max_calls, tokens=1_000_000))
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
        played.append(
            Played(
                question,
                episode,
                engine.ends.get((question.id, 0)),
                judged.outcome,
                _meant(question, store),
            )
        )
    return played


def _meant(question: Question, store: Store) -> dict[str, str]:
    articles = {var: store.article(entity) for var, entity in question.bindings.items()}
    return {var: article.title for var, article in articles.items() if article is not None}


def broken(question: Question, store: Store, texts: list[str]) -> str:
    """Why no agent can answer the question with these tools; "" if the function finds no such
    reason. The function does not play the question.

    Each relation must be stated by a section or an infobox line of some page. A search must be able
    to find another picture of the pictured thing. If there is no other picture, the rest of the
    question must lead to a page that names the thing.
    """
    form = question.logical_form
    assert form is not None
    for clause in form.of(ClaimClause):
        ends = [_spelt(end, question, store) for end in (clause.subject, clause.object)]
        if (
            all(ends)
            and clause.property not in UNSPOKEN
            and not any(
                all(any(f" {key(n)} " in text for n in names) for names in ends) for text in texts
            )
        ):
            return f"no page states {clause.property} of {ends[0][0]}"
    others = [
        image
        for image in store.images_of(question.bindings.get(form.anchor, ""))
        if image.id != question.source_image_id
    ]
    return "" if others else "no other picture of the pictured thing"


def _spelt(end: Term, question: Question, store: Store) -> list[str]:
    """All spellings that a page may use for the subject or the object of a claim."""
    value = (
        value_of_key(question.bindings[end])
        if isinstance(end, str) and end in question.bindings
        else end
    )
    if isinstance(value, str):
        return []
    if value.kind == "entity":
        entity = store.entity(value.entity)
        return (
            [entity.label(question.language), *entity.other_names(question.language)]
            if entity
            else []
        )
    if value.kind == "time":
        return [str(value.year)]
    return (
        [f"{value.number:.12g}", f"{value.number:,.12g}"]
        if value.number is not None
        else [value.text]
    )


def pieces(store: Store) -> list[str]:
    """The texts of all sections and infobox lines of the pages, in lower case without accents, each
    with the title of its page.
    """
    return [
        flat(f"{base(a.title)} {text}")
        for a in store.scan_articles()
        for text in (*(s.text for s in a.sections), *(f.text for f in a.infobox))
    ]


def shares(played: list[Played], name: str, of: Callable[[Played], Iterable[str]]) -> None:
    """Prints the share of solved questions for each value of a property, such as each number of
    hops."""
    all_, solved = Counter[str](), Counter[str]()
    for p in played:
        for value in of(p):
            all_[value] += 1
            solved[value] += p.solved
    print(
        f"  {name}: "
        + ", ".join(
            f"{value} {solved[value]}/{num} ({solved[value] / num:.0%})"
            for value, num in sorted(all_.items())
        )
    )


def main() -> None:
    """Prints the shares of solved questions, the mean numbers of calls, and the failures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=RunFolder)
    parser.add_argument("store")
    parser.add_argument("--stage", default="split", help="whose kept questions are played")
    parser.add_argument("--clip", default="small")
    parser.add_argument("--calls", type=int, default=50)
    parser.add_argument("--first", type=int, default=0, help="only so many questions")
    parser.add_argument("--skip", type=int, default=0, help="leave out so many first")
    parser.add_argument("--list", action="store_true", help="each failure in full")
    parser.add_argument(
        "--show",
        action="append",
        default=[],
        help="prints the whole episode of a question, by the start of its id",
    )
    options = parser.parse_args()
    label = options.run.label(options.stage)
    if not label:
        parser.error(
            f"the run has no stage {options.stage!r}, but {', '.join(map(name_of, options.run.labels())) or 'none'}"
        )
    kept = sorted(options.run.read(label, "kept", Question), key=lambda q: q.id)
    questions = [q for q in kept if q.form is not None][options.skip :]
    if options.show:
        questions = [q for q in questions if q.id.startswith(tuple(options.show))]
    questions = questions[: options.first] if options.first else questions
    began, cpu = time.monotonic(), time.process_time()
    store = Store.open(options.store)
    played = asyncio.run(play(questions, options.run, store, options.clip, options.calls))
    seconds, cpu = time.monotonic() - began, time.process_time() - cpu
    if options.show:
        for p in played:
            print(
                "\n\n".join(
                    [
                        p.question.text,
                        *(
                            f"{t.text}\n{'-> ' + t.result.text if t.result else ''}"
                            for t in p.episode.turns
                        ),
                    ]
                )
            )
            print(
                f"expected {p.question.answer.text!r}; {p.outcome}; {p.failed_step}; {process.judge_by_rules(p.episode).reasons}"
            )
        return
    solved = [p for p in played if p.solved]
    passed = sum(not process.judge_by_rules(p.episode).reasons for p in solved)
    each = max(1, len(played))
    print(
        f"{datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores, {seconds / each:.2f} s an episode ({cpu / each:.2f} s of CPU)"
    )
    print(
        f"solved {len(solved)} of {len(played)} questions ({len(solved) / max(1, len(played)):.1%}); {passed} of these pass the process rules"
    )
    shares(played, "method", lambda p: [p.question.method])
    shares(played, "level", lambda p: [p.question.level])
    shares(played, "detail read", lambda p: ["yes" if p.question.needs_detail else "no"])
    shares(played, "computed", lambda p: ["yes" if p.question.needs_computation else "no"])
    shares(
        played,
        "degraded",
        lambda p: [p.question.enhancement.degradation if p.question.enhancement else "no"],
    )
    for name, group in (("solved", solved), ("failed", [p for p in played if not p.solved])):
        if group:
            calls, turns = (
                sum(num) / len(group)
                for num in ([p.num_calls for p in group], [len(p.episode.turns) for p in group])
            )
            print(f"  {name}: {calls:.1f} calls, {turns:.1f} turns in the mean")
    print(
        f"  picture's thing found: {sum(p.identified for p in played)}; of these solved {sum(p.identified and p.solved for p in played)}"
    )
    texts = pieces(store)
    reasons = {p.question.id: broken(p.question, store, texts) for p in played}
    whole = [p for p in played if not reasons[p.question.id]]
    print(
        f"  without a reason why it cannot be done: {sum(p.solved for p in whole)} of {len(whole)} ({sum(p.solved for p in whole) / max(1, len(whole)):.1%})"
    )
    for reason, num in Counter(
        r.partition(" of ")[0] if r.startswith("no page") else r for r in reasons.values() if r
    ).most_common():
        print(f"    {reason}: {num}")
    failures = [p for p in played if not p.solved]
    for step, num in Counter(_kind(p.failed_step) for p in failures).most_common():
        print(f"  failed at: {step}: {num}")
    for p in failures:
        reason = reasons[p.question.id]
        print(f"    {p.question.id[:8]} {f'[{reason}] ' if reason else ''}{p.failed_step}")
        if options.list:
            print(
                f"      {p.question.text}\n      expected {p.question.answer.text!r}, said {p.episode.answer!r}, {p.num_calls} calls\n      {p.astray}"
            )


def _kind(step: str) -> str:
    """Removes the names from the description of a step, so that equal kinds of steps can be
    counted."""
    return (
        step.partition(" of ")[0]
        if " of " in step
        else "what has … as its " + step.partition(" as its ")[2]
        if " as its " in step
        else step
    )


if __name__ == "__main__":
    main()
