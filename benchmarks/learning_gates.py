"""Checks conditions without which results of reinforcement learning in the small fictional world
mean nothing.

    python -m benchmarks.learning_gates --base models/tiny_base --sft SFT/model --task RUN=STORE [--task RUN2=STORE2]

A base model and its fine-tuned version answer the questions in `rl/validation` of each run, at
temperature 1. If a run uses the store of another world, the models have never seen any of its
things. The script prints the share of valid turns of both models. The script also prints the share
of right answers by number of hops (facts in a chain), and the share with a grey picture instead of
the true one. The script also prints how often a search still finds the right page if one word of
the query is wrong.
"""

import argparse
import datetime
import random
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from PIL import Image

from benchmarks.learning import count_valid_turns
from questloom.agent.oracle.observation_reading import says
from questloom.agent.oracle.puzzle import puzzle_from
from questloom.agent.setup import opened_searches, opened_store
from questloom.files.opened import Opened
from questloom.knowledge.world.learning import COLOURS, KINDS, NUMBERS
from questloom.models.model_settings import ModelSettings
from questloom.models.picture_file import decode, encode
from questloom.pipeline.commands.held_out_play import (
    SPLIT,
    held_out_questions,
    play,
    settings_for,
    success,
    valid_turns,
)
from questloom.records.identity import canonical_json
from questloom.records.synthesis import Question
from questloom.records.trajectories import Trajectory


def grey(picture: bytes) -> bytes:
    """Makes a grey picture of the same size as the given picture."""
    return encode(Image.new("RGB", decode(picture).size, (128, 128, 128)), lossless=True)


def wrong_queries(
    store: str, questions: Sequence[Question], results: int, rng: random.Random
) -> dict[str, float]:
    """Measures how often a search with one wrong word still finds the right page, as the first hit
    or anywhere among the hits.

    Returns: Three shares of searches. "right first": with right words, the page is the first hit.
        "wrong first": with a wrong word, the page is the first hit. "wrong among": with a wrong
        word, the page is among the hits.
    """
    counts: dict[str, list[bool]] = defaultdict(list)
    with Opened() as opened:
        facts, searches = (
            opened_store(store, opened),
            opened_searches(store, ModelSettings().clip, None, opened),
        )
        for question in questions:
            puzzle = puzzle_from(question, facts, sighted=True)
            entity = facts.entity(question.anchor)
            assert puzzle is not None and entity is not None, (
                "questions of the learning world have forms"
            )
            counts["right first"].append(
                searches.find_pages(" ".join(puzzle.seen), results)[0].title == entity.label()
            )
            for place, values in enumerate((COLOURS, KINDS, NUMBERS)):
                words = list(puzzle.seen)
                words[place] = rng.choice([v for v in values if v != words[place]])
                titles = [hit.title for hit in searches.find_pages(" ".join(words), results)]
                counts["wrong first"].append(titles[0] == entity.label())
                counts["wrong among"].append(entity.label() in titles)
    return {name: sum(found) / len(found) for name, found in counts.items()}


def searched_wrongly(
    played: Iterable[Trajectory], by_id: Mapping[str, Question], store: str
) -> list[Trajectory]:
    """Finds the episodes in which not a single search had all words for what the picture shows."""
    with Opened() as opened:
        facts = opened_store(store, opened)
        found = []
        for p in played:
            puzzle = puzzle_from(by_id[p.question_id], facts, sighted=True)
            queries = [
                canonical_json(t.call.arguments)
                for t in p.episode.turns
                if t.call and t.call.name == "text_search"
            ]
            if puzzle and not any(
                all(says(query, word) for word in puzzle.seen) for query in queries
            ):
                found.append(p)
        return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", required=True)
    parser.add_argument("--sft", required=True)
    parser.add_argument("--task", action="append", required=True, metavar="RUN=STORE")
    parser.add_argument("--tasks", type=int, default=100)
    parser.add_argument("--rollouts", type=int, default=4)
    arguments = parser.parse_args()
    print(
        f"{datetime.date.today()}, at most {arguments.tasks} tasks of {SPLIT} of each run × {arguments.rollouts} rollouts, temperature 1"
    )
    for run, store in (task.split("=", 1) for task in arguments.task):
        questions = held_out_questions(run)[: arguments.tasks]
        by_id = {q.id: q for q in questions}
        base = play(settings_for(arguments.base), run, store, questions[:40])
        began = time.monotonic()
        sft = play(settings_for(arguments.sft), run, store, questions, rollouts=arguments.rollouts)
        seconds = time.monotonic() - began
        blind = play(
            settings_for(arguments.sft),
            run,
            store,
            questions,
            rollouts=arguments.rollouts,
            shown=grey,
        )
        wrongly = searched_wrongly(sft, by_id, store)
        searches = wrong_queries(
            store, questions, settings_for(arguments.sft).tools.results, random.Random(0)
        )
        print(f"\n{run}: {len(questions)} tasks, {len(sft)} episodes in {seconds:.0f} s")
        print(
            f"  valid turns        base {valid_turns(base):.3f}   after SFT {valid_turns(sft):.3f}"
        )
        (good, number), (good_later, later) = count_valid_turns(sft).values()
        print(
            f"  valid turns        {good / number:.3f} of those before which all were valid, {good_later} of {later} that come after an invalid one"
        )
        hops = {q.id: len(q.bindings) - 1 for q in questions}  # claims between picture and answer
        by_hops = {
            h: [p for p in sft if hops[p.question_id] == h] for h in sorted(set(hops.values()))
        }
        print(
            f"  success            base {success(base):.3f}   after SFT {success(sft):.3f}   "
            + "   ".join(f"{h} hop{'s' * (h > 1)} {success(g):.3f}" for h, g in by_hops.items())
        )
        print(f"  grey pictures      {success(blind):.3f}, valid turns {valid_turns(blind):.3f}")
        print(
            f"  searches           right words: the page first {searches['right first']:.3f}; one wrong: first {searches['wrong first']:.3f}, "
            f"among the hits {searches['wrong among']:.3f}"
        )
        print(
            f"  never searched for what is seen: {len(wrongly)} episodes, success {success(wrongly):.3f}"
        )
        ends = Counter(p.episode.end for p in sft)
        tokens = [sum(t.num_new_tokens for t in p.episode.turns) for p in sft]
        context = [
            p.episode.turns[-1].num_prompt_tokens + p.episode.turns[-1].num_new_tokens
            for p in sft
            if p.episode.turns
        ]
        print(
            f"  ends {dict(ends)}; tokens an episode: {sum(tokens) / len(tokens):.0f} new, {sum(context) / len(context):.0f} in all"
        )


if __name__ == "__main__":
    main()
