"""Runs the forms of plans as queries over the truth. Checks that the stored answer is the only
right answer.

    python -m benchmarks.truth_of_plans --world WORLD --run RUN [--plans PLANS.jsonl] [--short]

The check reads no English words. Each line of PLANS is a JSON object with the keys `id`, `form` and
`bindings`, plus `level` and `hops` if known. The script imports nothing from `transforms/`, so that
the code under test does not judge itself. The script prints every false plan, with the claim that
makes the plan false. For each false plan, the script also says whether the published dump has the
claim, lacks the claim (a gap), or lacks the whole thing. Shares have 95 % intervals (Wilson).
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.truth import rows, share
from benchmarks.truth_of_forms.execute import Binding, Executor, Unknown, coarse
from benchmarks.truth_of_forms.world import World, same
from questloom.records.form import ClaimClause, ClassClause, Form, Image, SentenceClause, variables
from questloom.records.synthesis import Question

GOALS = {0: 0.0, 1: 0.0, 2: 0.005}
"""For each number of gaps in the world's dump: the highest share of plans that may be false."""
MOST_ANSWERS = 20
"""The number of answers after which the search stops. A form with so many answers is certainly
ambiguous.
"""


@dataclass(frozen=True)
class Plan:
    """The form of a plan, and the intended values of the form's variables."""

    id: str
    form: Form
    bindings: dict[str, str]
    level: str = ""
    hops: int = 0


@dataclass(frozen=True)
class Verdict:
    """The truth's verdict on a plan."""

    true: bool
    reason: str = ""
    """Why the plan is false, in words."""
    hidden: str = ""
    """Why the dump lacks a claim on which a wrong answer rests: "absent thing" or "gap"; "" if the
    dump lacks no such claim.
    """


def judge(world: World, plan: Plan) -> Verdict:
    """Checks that a plan's form has one answer, and that this answer is the intended one.

    Raises:
        Unknown: the executor does not know a clause or an operation.
        ValueError: a variable has no value in the bindings.
    """
    if missing := {v for c in plan.form.clauses for v in variables(c)} - plan.bindings.keys():
        raise ValueError(f"plan {plan.id}: no binding of {', '.join(sorted(missing))}")
    if not any(plan.form.ask.var in variables(c) for c in plan.form.clauses):
        raise Unknown(f"plan {plan.id}: no clause has the asked {plan.form.ask.var}")
    intended = {v: world.id_of(key) for v, key in plan.bindings.items()}
    ask = plan.form.ask
    wanted = coarse(intended[ask.var], ask.precision)
    found: dict[str, Binding] = {}
    for solution in Executor(world, plan.form, intended).solutions():
        found.setdefault(coarse(solution[ask.var], ask.precision), solution)
        if len(found) >= MOST_ANSWERS:
            break
    right = {key for key in found if _is(key, wanted)}
    others = {key: b for key, b in found.items() if key not in right}
    if right and not others:
        return Verdict(True)
    if not found:
        broken = next(_broken(world, plan.form, intended), "no claim alone breaks it")
        return Verdict(False, f"no answer: {broken}")
    sort = "a second answer" if right else "another answer"
    rivals = [(o, *_rival(world, plan.form, intended, b)) for o, b in others.items()]
    other, why, hidden = next((r for r in rivals if r[2]), rivals[0])
    many = f"{len(found)} in all" if len(found) < MOST_ANSWERS else f"{MOST_ANSWERS} or more"
    words = f"{sort}, {world.labels.get(other, other)} ({other}) for {wanted}, {many}"
    return Verdict(False, f"{words}: {why}", hidden)


def _is(key: str, wanted: str) -> bool:
    """Whether two values are the same. Two times are the same only if their precision agrees too:
    the year 1832 is not a day in 1832.
    """
    return key == wanted if key.startswith("time:") else same(key, wanted)


def _claims(form: Form, at: Binding) -> Iterator[tuple[str, str, str]]:
    for c in form.of(ClaimClause):
        subject, value = (t if isinstance(t, str) else t.key() for t in (c.subject, c.object))
        yield at.get(subject, subject), c.property, at.get(value, value)


def _said(world: World, claim: tuple[str, str, str]) -> str:
    subject, prop, value = claim
    return f"{world.labels.get(subject, subject)} {prop} {world.labels.get(value, value)}"


def _broken(world: World, form: Form, intended: Binding) -> Iterator[str]:
    """Yields, in words, each statement of the form that is not true for the intended answer."""
    for claim in _claims(form, intended):
        if not world.holds(*claim):
            yield f"the truth does not say {_said(world, claim)}"
    for clause in form.clauses:
        if isinstance(clause, ClassClause):
            if clause.class_id not in world.classes(intended[clause.var]):
                yield f"{intended[clause.var]} is no {clause.class_id}"
        elif not isinstance(clause, Image | ClaimClause):
            alone = Executor(world, form, intended)
            if any(True for _ in alone.search([clause], dict(intended))):
                continue
            if isinstance(clause, SentenceClause):
                ends = [alone.key(t, intended) or "" for t in (clause.subject, clause.object)]
                yield f"the truth ties {' to '.join(world.labels.get(e, e) for e in ends)} by nothing"
            else:
                yield f"{clause} does not hold"


def _rival(world: World, form: Form, intended: Binding, other: Binding) -> tuple[str, str]:
    """The claims on which a wrong answer rests. Each claim comes with the reason why it is missing
    from the dump.

    Claims that are missing from the dump come first.
    """
    meant = set(_claims(form, intended))
    new = [c for c in _claims(form, other) if c not in meant]
    lost = [(how, c) for c in new if (how := world.hidden(*c))]
    if lost:
        how, claim = lost[0]
        return f"the dump lacks ({how}) {_said(world, claim)}", how
    if new:
        return f"the truth says {_said(world, new[0])}", ""
    for c in form.of(ClassClause):
        if other[c.var] != intended[c.var]:
            return f"{world.labels.get(other[c.var], other[c.var])} is a {c.class_id} too", ""
    return next(_broken(world, form, intended), "a reading or computation gives it too"), ""


def plans_of(questions: Iterable[Question]) -> Iterator[Plan]:
    """The plans of the questions that have a form."""
    for q in questions:
        form = q.logical_form
        if form is not None:
            yield Plan(q.id, form, q.bindings, q.level, len(q.hops))


def read_plans(path: Path) -> Iterator[Plan]:
    """Reads the plans of a JSONL file.

    Raises:
        ValueError: a line does not hold a plan.
    """
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row: dict[str, Any] = json.loads(line)
            yield Plan(
                str(row["id"]),
                Form.from_json(row["form"]),
                row["bindings"],
                row.get("level", ""),
                row.get("hops", 0),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path}:{number}: no plan: {error!r}") from error


def report(name: str, world: World, plans: Iterable[Plan], *, listed: bool) -> tuple[int, int]:
    """Prints one table. Returns the number of false plans and the number of all plans."""
    judged = [(p, judge(world, p)) for p in plans]
    false = [(p, v) for p, v in judged if not v.true]
    print(f"{name}\n  false  {share(len(false), len(judged))}")
    for how in ("gap", "absent thing"):
        hits = sum(v.hidden == how for _, v in judged)
        print(f"    another answer by a {how:<13} {share(hits, len(judged))}")
    groups: dict[str, list[bool]] = defaultdict(list)
    for p, v in judged:
        groups[f"level {p.level or '?'}"].append(v.true)
        groups[f"hops {p.hops}"].append(v.true)
    for group in sorted(groups):
        print(f"    {group:<14} {share(groups[group].count(False), len(groups[group]))}")
    if listed:
        for p, v in false:
            print(f"  FALSE {p.id} ({p.level}, {p.hops} hops) {v.reason}")
    return len(false), len(judged)


def main() -> None:
    """Prints the figures. The exit code is 1 if the share of false plans is above the goal for the
    world's gaps.
    """
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--world", type=Path, required=True)
    options.add_argument("--run", type=Path, action="append", default=[])
    options.add_argument("--plans", type=Path, action="append", default=[])
    options.add_argument("--short", action="store_true", help="do not list the false ones")
    given = options.parse_args()
    if not given.run and not given.plans:
        options.error("name --run or --plans")
    told = json.loads((given.world / "world.json").read_text(encoding="utf-8"))
    print(f"gaps {told['gaps']}, absent {told.get('absent', 0.0):.0%}")
    world = World(given.world)
    found = []
    try:
        for run in given.run:
            for name, stage in (("certified", "certify"), ("kept", "split")):
                plans = plans_of(rows(run, stage, "kept", Question))
                found.append(report(f"{run.name}, {name}", world, plans, listed=not given.short))
        for path in given.plans:
            found.append(report(path.name, world, read_plans(path), listed=not given.short))
    except Unknown as error:
        sys.exit(f"truth_of_plans: {error}")
    sys.exit(any(false > GOALS[told["gaps"]] * of for false, of in found))


if __name__ == "__main__":
    main()
