"""Makes a page for human readers from a run. The page shows twenty kept questions, with pictures of
their routes.

    python -m benchmarks.twenty_questions RUN docs/twenty-questions.md [--number 20] [--seed 1]

The script draws one question for each combination of shape and level in the run. Then the script
draws questions that need a detail of a picture, a second picture or a computation. The script
writes small pictures into a folder beside the page. The script removes the pictures of an earlier
page. With `--blind FOLDER`, the script writes a second page that holds only questions and pictures.
A reader of the second page judges whether each question is natural, clear and fair.
"""

import argparse
from collections.abc import Callable, Sequence
from itertools import zip_longest
from pathlib import Path

from benchmarks.route_picture import Step, route_svg, steps
from questloom.files.locations import location
from questloom.models.picture_file import decode
from questloom.pipeline.export.card import plain
from questloom.pipeline.report.people_names import Names
from questloom.pipeline.report.run_reader import open_run, store_of
from questloom.prompts.phrases.words import answer_words
from questloom.records.identity import priority
from questloom.records.plan import PLAIN, PlannedSeed, work_of
from questloom.records.synthesis import Question
from questloom.transforms.planning.planner import CHAIN, CLUSTER, MEET, TREE
from questloom.transforms.stages.run_folder import RunFolder

WIDTH = 360
SHAPES = tuple(shape.name for shape in (CHAIN, TREE, MEET, CLUSTER))
LEVELS = ("easy", "medium", "hard")

Shaped = tuple[str, Question]
"""A question with the shape of the plan from which it was made."""


def shaped(run: RunFolder) -> list[Shaped]:
    """The kept questions that were made from a plan, each with the shape of its plan."""
    plans = {seed.id: seed.plans for seed in run.read(run.label("plan"), "kept", PlannedSeed)}
    return [
        (plan.shape, question)
        for question in run.read(run.label("split"), "kept", Question)
        for plan in plans.get(question.seed_id, ())
        if plan.form == question.form and plan.bindings == question.bindings
    ]


def drawn(found: Sequence[Shaped], number: int, seed: int) -> list[Shaped]:
    """First draws one question of each shape and level. Then draws questions with a special kind of
    work (such as a computation), each kind in turn. The remaining places get any questions.

    Any two of the drawn questions differ in their picture and in their words.
    """
    order = sorted(found, key=lambda each: priority(seed, each[1].id, "twenty"))
    cells = [
        [each for each in order if (each[0], each[1].level) == (shape, level)]
        for shape in SHAPES
        for level in LEVELS
    ]
    works: dict[str, list[Shaped]] = {}
    for each in order:
        form = each[1].logical_form
        assert form is not None
        works.setdefault(work_of(form), []).append(each)
    others = works.pop(PLAIN, [])
    turns = [
        each for turn in zip_longest(*(works[w] for w in sorted(works))) for each in turn if each
    ]
    chosen: list[Shaped] = []

    def take(those: Sequence[Shaped], most: int) -> None:
        for each in those:
            if most and len(chosen) < number and not any(_alike(each[1], q) for _, q in chosen):
                chosen.append(each)
                most -= 1

    for cell in cells:
        take(cell, 1)
    take([*turns, *others], number)
    return chosen


def _alike(one: Question, other: Question) -> bool:
    return one.image_id == other.image_id or one.text == other.text


def write_page(
    page: Path,
    chosen: Sequence[Shaped],
    *,
    names: Names,
    read_picture: Callable[[str], bytes],
    command: str,
) -> None:
    """Writes the page and its folder of pictures.

    Args:
        page: path of the Markdown file; the folder beside it has the same name without the file's
            extension.
        chosen: the questions in the order of the page; all of them have a route.
        names: function that returns the names of the things that the variables stand for.
        read_picture: function that returns a picture's bytes for the picture's id.
        command: the command that makes the page; it is printed at the top of the page.

    Raises:
        ValueError: a route has an unknown move.
    """
    folder = page.parent / page.stem
    folder.mkdir(parents=True, exist_ok=True)
    for old in (*folder.glob("*.jpg"), *folder.glob("*.svg")):
        old.unlink()
    cells = {(shape, question.level) for shape, question in chosen}
    absent = [f"{s}, {v}" for s in SHAPES for v in LEVELS if (s, v) not in cells]
    lines = [
        f"# {len(chosen)} questions of the demo",
        "",
        f"`{command}` drew these questions.",
        "Arrows show the calls on the cheapest route to the answer.",
        "",
    ]
    if absent:
        lines += [f"The run has no question of these kinds: {'; '.join(absent)}.", ""]
    for number, (shape, question) in enumerate(chosen, 1):
        image = decode(read_picture(question.image_id))
        image.thumbnail((WIDTH, WIDTH * 2))
        image.save(folder / f"{number:02d}.jpg", quality=85)
        form, route, made = question.logical_form, question.route, question.certificate
        assert form is not None and route is not None and made is not None
        answer = answer_words(question.answer)
        boxes = steps(route.moves, question.bindings, names, form.ask.var, answer)
        (folder / f"{number:02d}.svg").write_text(route_svg(boxes), encoding="utf-8")
        price = "" if route.exact else "at most "
        lines += [
            f"**{number}.** {plain(question.text)}",
            "",
            f"![Picture {number}]({folder.name}/{number:02d}.jpg)",
            "",
            f"*{plain(answer)}* ({shape}, {question.level}, {made.effective_hops} hops, {price}{route.calls} calls)",
            "",
            f"![{plain(alt(boxes))}]({folder.name}/{number:02d}.svg)",
            "",
        ]
    page.write_text("\n".join(lines), encoding="utf-8")


def alt(route: Sequence[Step]) -> str:
    """The alternative text for the picture of a route. The text names each thing that the route
    finds, once. The text leaves out the tools, because the picture names them.

    >>> alt([("page", "", "Old Mill"), ("close look", "", "1714"), ("answer", "", "1714")])
    'Route: Old Mill → 1714'
    """
    return "Route: " + " → ".join(dict.fromkeys(found for _, _, found in route))


def write_blind(
    folder: Path, chosen: Sequence[Shaped], read_picture: Callable[[str], bytes]
) -> None:
    """Writes a page of questions and full-size pictures without answers.

    The pictures are the same files that the policy (the agent in training) sees, so small print is
    legible.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, (_, question) in enumerate(chosen, 1):
        (folder / f"{number:02d}.jpg").write_bytes(read_picture(question.image_id))
        lines.append(f"{number:02d}.jpg\t{question.text}\n")
    (folder / "questions.tsv").write_text("".join(lines), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=RunFolder)
    parser.add_argument("page", type=Path)
    parser.add_argument("--number", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--blind", type=Path)
    arguments = parser.parse_args()
    run = arguments.run
    if not run.label("split"):
        parser.error(f"{run.path} is no finished run")
    chosen = drawn(shaped(run), arguments.number, arguments.seed)
    write_page(
        arguments.page,
        chosen,
        names=Names(store_of(open_run(location(run.path)))),
        read_picture=run.read_picture,
        command=f"python -m benchmarks.twenty_questions RUN PAGE --seed {arguments.seed}",
    )
    if arguments.blind:
        write_blind(arguments.blind, chosen, run.read_picture)


if __name__ == "__main__":
    main()
