"""`PlayJob`: the `Job` of the stages that play a run's questions. `PlayJob` adds the policy (the
agent) and the folder of its episodes."""

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
    """A job: a policy plays a run's questions, and the episodes go into the policy's folder.
    `recipe` is the run's recipe with the policy's settings."""

    out: EpisodeFolder
    questions: str
    """The fingerprint of the run's own recipe."""

    def calls(self) -> Any:
        """Where the policy's replies, ledger and budget are stored: in its own folder, unless the
        recipe names another place."""
        return self.out.calls(self.recipe.run.calls)

    @cached_property
    def played(self) -> dict[str, Any]:
        """All settings that affect the episodes, as JSON: the questions, the engine and its model, tools and limits."""
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
        """A hash of `played`."""
        return sha256_hex(canonical_json(self.played))[:16]

    @property
    def judge_fingerprint(self) -> str:
        """A hash of `play_fingerprint` and of all settings that decide which episodes are kept."""
        settings = self.recipe.resolved()
        judged = {
            "rules": {name: settings["teach"][name] for name in JUDGED},
            "judge": settings["models"]["judge"],
            "roles": settings["models"]["roles"],
        }
        return sha256_hex(canonical_json([self.played, judged]))[:16]
