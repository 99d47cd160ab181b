"""The folder with the episodes of one policy, which played the questions of a run. The folder has
the layout of a run folder, with the stages of playing and the episodes' files.

```
RUN/episodes/POLICY/recipe.json      the settings, and the inputs that they were used on
                    stages/          01-tasks … 06-solved, as those of the main job
                    times/           clock times, by shard
                    teach.json       counts and statistics; written last
                    prompt.json  pictures/  journal/   see `agent/play/episode_files.py`
```
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from questloom.agent.play.episode_files import EpisodeFiles
from questloom.files.locations import Location, listed, remove_tree
from questloom.files.parquet import read_records, write_records, write_whole
from questloom.records.identity import canonical_json, shard_of
from questloom.records.trajectories import EpisodeTimes
from questloom.transforms.stages.run_folder import RunFolder

TEACHER = "teacher"
"""The policy whose episodes reach the data set."""
TASKS, PLAY, ANSWER, PROCESS, KEEP, SOLVED = "tasks", "play", "answer", "process", "keep", "solved"
"""The names of the stages."""


@dataclass(frozen=True)
class EpisodeFolder(RunFolder):
    """The folder of the episodes of one policy."""

    @classmethod
    def of(cls, run: RunFolder, policy: str = TEACHER) -> "EpisodeFolder":
        """The folder of a policy within a run."""
        return cls(run.episodes(policy))

    @cached_property
    def files(self) -> EpisodeFiles:
        """The pictures, prompts and journals of the episodes."""
        return EpisodeFiles(self.path)

    def describe_extensions(self) -> list[str]:
        """The tools and live services that come from other packages: "name: identity" for a tool,
        and the identity alone for a service."""
        facts = self.read_recipe()
        names = facts.get("custom_tools", {})
        return [
            f"{names[identity]}: {identity}" if identity in names else identity
            for identity in facts.get("extensions", ())
        ]

    @property
    def facts(self) -> Location:
        return self.at("teach.json")

    def read_facts(self) -> dict[str, Any] | None:
        """The content of `teach.json`, or None where the file is missing."""
        return json.loads(self.facts.read_text(encoding="utf-8")) if self.facts.is_file() else None

    def is_whole(self) -> bool:
        """Whether the policy played all tasks."""
        facts = self.read_facts()
        return bool(facts and facts["whole"])

    def attribution(self, shard: int) -> Location:
        """The file with the sources of a shard's pictures."""
        return self.at("attribution", f"ledger-{shard:05d}.parquet")

    def times(self, shard: int) -> Location:
        """The file with the times of a shard's episodes."""
        return self.at("times", f"{shard:05d}.parquet")

    def note_times(
        self, seed_id: str, num_shards: int, question_id: str, times: Sequence[EpisodeTimes]
    ) -> None:
        """Writes the times of the episodes of one question."""
        write_whole(
            self.at("times", f"{shard_of(seed_id, num_shards):05d}", f"{question_id}.json"),
            canonical_json([t.to_row() for t in times]).encode(),
        )

    def gather_times(self, num_shards: int) -> None:
        """Merges the times that processes noted into one file per shard."""
        for shard in range(num_shards):
            folder, path = self.at("times", f"{shard:05d}"), self.times(shard)
            noted = listed(folder, "*.json")
            if not noted:
                continue
            found = {
                t.episode_id: t
                for t in (read_records(path, EpisodeTimes) if path.is_file() else ())
            }
            for part in noted:
                found.update(
                    (t.episode_id, t)
                    for t in map(
                        EpisodeTimes.from_row, json.loads(part.read_text(encoding="utf-8"))
                    )
                )
            write_records(path, EpisodeTimes, [found[i] for i in sorted(found)])
            remove_tree(folder)
