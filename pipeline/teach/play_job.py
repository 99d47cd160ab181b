"""Defines `PlayJob`, the job of the stages that play a run's questions. A `PlayJob` is a `Job` that
also holds a policy (an agent) and the folder of the policy's episodes."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from questloom.agent.setup import AGENT, READER
from questloom.pipeline.synth.job import Job
from questloom.records.identity import canonical_json, sha256_hex
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from questloom.transforms.episodes.episode_rules import JUDGED, PLAYED


@dataclass(frozen=True, kw_only=True)
class PlayJob(Job):
    """A job in which a policy plays a run's questions. The episodes are written into the policy's
    folder. `recipe` is the recipe of the run, with the settings of the policy filled in."""

    out: EpisodeFolder
    questions: str
    """The fingerprint of the run's recipe before the policy's settings were filled in."""

    def calls(self) -> Any:
        """Where the policy's replies, its ledger and its budget are stored: in the policy's own
        folder, unless the recipe names another place."""
        return self.out.calls(self.recipe.run.calls)

    @cached_property
    def played(self) -> dict[str, Any]:
        """All settings that affect the episodes, as JSON. The settings describe the questions, the
        engine and its model, the tools and the limits."""
        settings = self.recipe.resolved()
        roles = settings["models"]["roles"]
        rules = {name: settings["teach"][name] for name in PLAYED}
        if rules["server"]:
            rules["server"] = {
                k: v for k, v in rules["server"].items() if k != "url"
            }  # the store may move to another path
        return {
            "questions": self.questions,
            "teach": rules,
            **({"extensions": found} if (found := self.recipe.teach.extensions) else {}),
            "clip": settings["models"]["clip"],
            "roles": {name: roles[name] for name in (AGENT, READER) if name in roles},
        }

    @property
    def play_fingerprint(self) -> str:
        """A hash of `played`: equal hashes mean equal settings for the episodes."""
        return sha256_hex(canonical_json(self.played))[:16]

    @property
    def judge_fingerprint(self) -> str:
        """A hash of all settings that affect the episodes, or decide which episodes are kept."""
        settings = self.recipe.resolved()
        judged = {
            "rules": {name: settings["teach"][name] for name in JUDGED},
            "judge": settings["models"]["judge"],
            "roles": settings["models"]["roles"],
        }
        return sha256_hex(canonical_json([self.played, judged]))[:16]
