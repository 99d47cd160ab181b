"""Twenty kept questions of a run, drawn by a fixed seed, as a page for people.

    python -m benchmarks.twenty_questions RUN docs/twenty-questions.md [--number 20] [--seed 1]

Pictures are written beside the page, small. With `--blind FOLDER` a second page holds questions and pictures alone, for a
reader who is to say of each whether it is natural, clear and fair.
"""

import argparse
from pathlib import Path

from questloom.models.picture_file import decode
from questloom.prompts.phrases.words import answer_words
from questloom.records.identity import priority
from questloom.records.synthesis import Question
from questloom.transforms.stages.run_folder import RunFolder

WIDTH = 360


def drawn(run: RunFolder, number: int, seed: int) -> list[Question]:
    """The questions with the smallest places under the seed."""
    return sorted(
        run.read(run.label("split"), "kept", Question), key=lambda q: priority(seed, q.id, "twenty")
    )[:number]


def picture(run: RunFolder, question: Question, to: Path) -> None:
    """A small copy of a question's picture."""
    image = decode(run.read_picture(question.image_id))
    image.thumbnail((WIDTH, WIDTH * 2))
    to.parent.mkdir(parents=True, exist_ok=True)
    image.save(to, quality=85)


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
    if not arguments.run.label("split"):
        parser.error(f"{arguments.run.path} is no finished run")
    lines = [
        f"# {arguments.number} questions of the demo",
        "",
        "Drawn from the kept questions of `make demo` by "
        f"`python -m benchmarks.twenty_questions RUN PAGE --seed {arguments.seed}`. The pictures are scaled down.",
        "",
    ]
    blind = []
    for number, question in enumerate(drawn(arguments.run, arguments.number, arguments.seed), 1):
        name = f"{arguments.page.stem}/{number:02d}.jpg"
        picture(arguments.run, question, arguments.page.parent / name)
        made = question.certificate
        assert made is not None
        margin = "" if made.margin == 9 else f", margin {made.margin}"
        lines += [
            f"**{number}.** {question.text}",
            "",
            f"![Picture {number}]({name})",
            "",
            f"*{answer_words(question.answer)}* ({question.level}, {made.effective_hops} hops{margin})",
            "",
        ]
        if arguments.blind:
            arguments.blind.mkdir(parents=True, exist_ok=True)
            whole = arguments.run.read_picture(
                question.image_id
            )  # what the policy is shown: small print must be legible
            (arguments.blind / f"{number:02d}.jpg").write_bytes(whole)
            blind.append(f"{number:02d}.jpg\t{question.text}")
    arguments.page.write_text("\n".join(lines), encoding="utf-8")
    if arguments.blind:
        (arguments.blind / "questions.tsv").write_text("\n".join(blind) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
