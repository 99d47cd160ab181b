"""Measures how the episodes of a run search: how many calls they make, which tools they use, how
often they open a wrong page, and how often they reuse pictures.

    python -m benchmarks.oracle_search RUN

The script reads the kept trajectories (episodes) of the run's teacher. A *query* is a search in
words or by a picture. A *wrong turn* is a visit to a page that the next thought rejects. A *reused
picture* is a picture that one tool call made and a later call uses. The script also counts how many
different first sentences the thoughts have. Names, numbers and quotations are removed before the
count.
"""

import argparse
import re
from collections import Counter
from collections.abc import Sequence

from questloom.records.episodes import Episode
from questloom.records.trajectories import Trajectory
from questloom.transforms.episodes.episode_folder import KEEP, TEACHER, EpisodeFolder
from questloom.transforms.stages.run_folder import RunFolder

SEARCHES = ("text_search", "web_search", "image_search")
REPAIRS = ("sharpen", "super_resolution", "perspective_correct")
TAKEN_BACK = re.compile(r"\bis not the one\b|\bcannot be the one\b|\bgo back\b", re.IGNORECASE)
"""The words with which a thought rejects a wrong turn, from `agent/oracle/speech.py`."""


def calls_of(episode: Episode) -> list[str]:
    """The names of the tools that an episode called, in order."""
    return [turn.call.name for turn in episode.turns if turn.call]


def num_wrong_turns(episode: Episode) -> int:
    """The number of visits to pages that the next thought rejects."""
    return sum(
        bool(
            before.call
            and before.call.name == "visit"
            and TAKEN_BACK.search(f"{after.thought or ''}")
        )
        for before, after in zip(episode.turns, episode.turns[1:], strict=False)
    )


def num_used_again(episode: Episode) -> int:
    """The number of pictures that a tool made and a later call uses."""
    made = {image.handle for image in episode.images if image.origin != "task" and not image.url}
    taken = {
        turn.call.arguments.get("handle")
        for turn in episode.turns
        if turn.call and isinstance(turn.call.arguments, dict)
    }
    return len(made & taken)


def template_of(thought: str) -> str:
    """The first sentence of a thought, after quotations, names, numbers and pictures were
    removed."""
    blotted = re.sub(r"“[^”]*”|<image:\d+>", "…", thought)
    blotted = re.sub(r"(?<!^)(?<![.!?] )\b[^\W\d_a-z]\w*(?: [^\W\d_a-z]\w*)*|\d\S*", "…", blotted)
    return re.split(r"(?<=[.!?]) ", blotted)[0]


def report(trajectories: Sequence[Trajectory]) -> list[str]:
    """Makes the lines that the script prints."""
    episodes = [t.episode for t in trajectories]
    if not episodes:
        return ["no kept trajectory"]
    levels = sorted({t.level for t in trajectories})
    by_level = ", ".join(
        f"{level} {_mean([len(calls_of(t.episode)) for t in trajectories if t.level == level]):.1f}"
        for level in levels
    )
    tools = Counter(name for e in episodes for name in dict.fromkeys(calls_of(e)))
    thoughts = [turn.thought for e in episodes for turn in e.turns if turn.thought]
    repaired = sum(any(name in REPAIRS for name in calls_of(e)) for e in episodes)
    return [
        f"kept trajectories {len(episodes)}",
        f"calls a trajectory {_mean([len(calls_of(e)) for e in episodes]):.1f} ({by_level})",
        f"queries a trajectory {_mean([sum(n in SEARCHES for n in calls_of(e)) for e in episodes]):.1f}",
        f"wrong turns taken back {sum(map(num_wrong_turns, episodes))}, in {sum(num_wrong_turns(e) > 0 for e in episodes)} trajectories",
        "tools, by trajectories that call them: "
        + ", ".join(f"{name} {number}" for name, number in tools.most_common()),
        f"pictures of tools used again {sum(map(num_used_again, episodes))}, in {sum(num_used_again(e) > 0 for e in episodes)} trajectories",
        f"pictures repaired by a tool: in {repaired} trajectories",
        f"first sentences of thoughts, distinct / all: {len(set(map(template_of, thoughts)))} / {len(thoughts)}",
    ]


def _mean(numbers: Sequence[int]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("run")
    folder = EpisodeFolder.of(RunFolder(parser.parse_args().run), TEACHER)
    print(*report(list(folder.read(folder.label(KEEP), "kept", Trajectory))), sep="\n")
