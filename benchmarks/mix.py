"""Describes the mix of a run's kept questions. Prints the shares of questions by level of
difficulty, number of hops (facts in a chain), route, kind of work and relation.

    python -m benchmarks.mix RUN

The script also counts the questions that say a relation in the same way ("commissioned", "architect"),
and the words that another question has.
"""

import argparse
import functools
import re
from collections import Counter
from statistics import median

from questloom.knowledge.world.curiosities import CURIOSITIES
from questloom.language.frames import BE
from questloom.prompts.phrases import property_phrase, variants, verb_forms
from questloom.records.form import ClaimClause
from questloom.records.plan import work_of
from questloom.records.synthesis import Question
from questloom.transforms.stages.run_folder import RunFolder


@functools.cache
def ways_of(property_id: str) -> tuple[str, ...]:
    """The words by which English questions say a relation: verbs with their prepositions, and nouns
    for its ends. The longest come first."""
    found, forms = set[str](), verb_forms("en")
    for phrase in variants(property_phrase(property_id, "en")):
        found.update(*(phrase.o, phrase.s))
        for f in phrase.frames(forms):
            verb = f.middle if f.verb in BE and f.middle else f"{f.verb} {f.middle}".strip()
            found.add(f"{verb} {f.preposition}".strip() + f" … {f.rest}" * bool(f.rest))
    return tuple(sorted(found, key=lambda way: (-len(way), way)))


def ways(found: list[Question]) -> Counter[tuple[str, str]]:
    """The number of questions that say a relation in each way. A relation that a question says by
    a template of its own is left out."""
    counts: Counter[tuple[str, str]] = Counter()
    for question in found:
        text, said = question.text.lower(), set()
        assert question.logical_form is not None, "a question has a form"
        for claim in question.logical_form.of(ClaimClause):
            for way in ways_of(claim.property):
                if re.search(rf"\b{re.escape(way.lower()).replace('…', '.*')}\b", text):
                    said.add((claim.property, way))
                    break
        counts.update(said)
    return counts


def lines(found: list[Question]) -> list[str]:
    """Makes the lines of the table. All printed shares are shares of all questions."""
    num = len(found)
    forms = [q.logical_form for q in found if q.logical_form]
    relations = Counter(p for f in forms for p in {c.property for c in f.of(ClaimClause)})
    texts = Counter(q.text for q in found)
    routes = {
        level: [q.route.calls for q in found if q.level == level and q.route]
        for level in sorted({q.level for q in found})
    }

    def share(what: str, number: int) -> str:
        return f"{what}: {number:,} ({number / max(1, num):.1%})"

    hops = Counter(q.certificate.effective_hops for q in found if q.certificate)
    said = ways([q for q in found if q.logical_form])
    commonest = ", ".join(f"{p} {n / max(1, num):.1%}" for p, n in relations.most_common(5))
    return [
        f"kept: {num:,}",
        *(share(f"level {level}", n) for level, n in Counter(q.level for q in found).items()),
        *(share(f"effective hops {h}", hops[h]) for h in sorted(hops, key=str)),
        *(share(f"method {m}", n) for m, n in Counter(q.method for q in found).items()),
        *(share(f"work {w}", n) for w, n in Counter(map(work_of, forms)).items()),
        share("reads a detail", sum(q.needs_detail for q in found)),
        share("reads a later picture", sum(bool(f.later_reads) for f in forms)),
        share("computes", sum(q.needs_computation for q in found)),
        share(
            "meets (treewidth 2 or more)",
            sum(q.route is not None and q.route.treewidth > 1 for q in found),
        ),
        share("damaged pictures", sum(q.enhancement is not None for q in found)),
        share("pass or ask a curiosity", sum(n for p, n in relations.items() if p in CURIOSITIES)),
        share("words that another question has", num - len(texts)),
        f"relations: {len(relations)}, the commonest on {commonest}",
        "ways of saying a relation: "
        + ", ".join(f"{p} {way} {n / max(1, num):.1%}" for (p, way), n in said.most_common(8)),
        *(
            f"route, {level}: median {median(calls):g} calls"
            for level, calls in routes.items()
            if calls
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=RunFolder)
    run = parser.parse_args().run
    print("\n".join(lines(list(run.read(run.label("split"), "kept", Question)))))


if __name__ == "__main__":
    main()
