"""`EvaluateJob` describes one evaluation: an agent plays one benchmark in one mode. The job knows
the folder of the results, and the stages that play the questions and mark the answers.

```
OUT/calls.sqlite                        replies, ledger and budget of all evaluations
    scores.md  scores.csv  scores.html  calls.png
    BENCHMARK/statement.json            the source and the number of the questions
              pictures/                 the benchmark's pictures, named by sha256
              POLICY/MODE/              the episodes of an agent in a mode, with
                          scores.json   scores without times: equal for two runs from the same cache
                          timing.json   measured times
```

If only a subset of a benchmark is read, its folder is called BENCHMARK-SUBSET.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from questloom.agent.judges.answer import ROLE as STRICT_ROLE
from questloom.agent.judges.answer import AnswerJudge
from questloom.agent.judges.report import ROLE as LENIENT_ROLE
from questloom.agent.judges.report import ReportJudge
from questloom.agent.setup import AGENT, READER, PlayPlace
from questloom.eval.agents import open_agent
from questloom.eval.attempting import Attempting
from questloom.eval.dialects import Dialect
from questloom.eval.items import Attempt, Item, Mark
from questloom.eval.marking import Marking
from questloom.eval.modes import Mode
from questloom.eval.run_split import questions_of
from questloom.files.opened import Opened
from questloom.pipeline.recipe import Recipe
from questloom.records.errors import InputError
from questloom.records.identity import canonical_json, sha256_hex
from questloom.records.synthesis import Question
from questloom.records.trajectories import EpisodeTimes
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from questloom.transforms.episodes.episode_rules import PLAYED
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.stages.stage import Apply, Stage, in_order

ITEMS, PLAY, MARK = "items", "play", "mark"
"""The names of the stages."""


@dataclass(frozen=True, kw_only=True)
class EvaluateJob:
    """All settings and paths of an evaluation. The object can be pickled, so that it reaches other
    processes.
    """

    recipe: Recipe
    """The recipe. The recipe's section `teach` says which model plays with which tools. The
    recipe's section `models` says which models judge.
    """
    out: str
    """The folder of all evaluations."""
    benchmark: str
    """The name of the benchmark's folder in `out`."""
    policy: str
    mode: Mode
    dialect: Dialect
    prompt: str = ""
    """The agent's own system message."""
    store: str = ""
    """The path of the store that the tools search; "" if the agent searches the web or nothing."""
    snapshot: str = ""
    """The store's digest."""
    run: str = ""
    """The run from which the questions come; "" for an outside benchmark."""
    split: str = ""
    opened: Opened = field(default_factory=Opened, compare=False, repr=False)

    @property
    def folder(self) -> EpisodeFolder:
        """The folder of the agent's episodes in this mode."""
        return EpisodeFolder(str(Path(self.out, self.benchmark, self.policy, self.mode.value)))

    def calls(self) -> Path | str:
        """Where the models' replies, the ledger of costs and the budget are stored. All evaluations
        in `out` share one place, unless the recipe names another place."""
        return RunFolder(self.out).calls(self.recipe.run.calls)

    @property
    def place(self) -> PlayPlace:
        """The objects with which a worker plays episodes and calls models."""
        return PlayPlace(self.store, self.calls, self.recipe.models, self.opened, self.recipe.seed)

    def picture(self, sha256: str) -> bytes:
        """The bytes of a picture of the benchmark.

        Raises:
            InputError: the picture is missing or damaged.
        """
        if self.run:
            return RunFolder(self.run).read_picture(sha256)
        path = picture_path(self.out, self.benchmark, sha256)
        data = path.read_bytes() if path.is_file() else b""
        if sha256_hex(data) != sha256:
            raise InputError(
                str(path),
                "is missing or not the picture that its name says",
                "Read the benchmark again, into a new folder.",
            )
        return data

    def question(self, question_id: str) -> Question:
        """A question of the run that serves as the benchmark."""
        found = self.opened.once(
            ("questions", self.run, self.split),
            lambda: {q.id: q for q in questions_of(RunFolder(self.run), self.split)},
        )
        return found[question_id]

    @cached_property
    def played(self) -> dict[str, Any]:
        """All settings that affect the attempts, as JSON."""
        settings = self.recipe.resolved()
        roles = settings["models"]["roles"]
        rules = {name: settings["teach"][name] for name in PLAYED if name != "uses"}
        if rules["server"]:
            rules["server"] = {
                k: v for k, v in rules["server"].items() if k != "url"
            }  # the store may move to another path
        return {
            "teach": rules,
            **({"extensions": found} if (found := self.recipe.teach.extensions) else {}),
            "mode": self.mode.value,
            "dialect": self.dialect.name,
            "prompt": sha256_hex(self.prompt),
            "seed": self.recipe.seed,
            "snapshot": self.snapshot,
            "clip": settings["models"]["clip"],
            "roles": {name: roles[name] for name in (AGENT, READER) if name in roles},
        }

    @property
    def play_fingerprint(self) -> str:
        """A hash of all settings that affect the attempts."""
        return sha256_hex(canonical_json(self.played))[:16]

    @property
    def mark_fingerprint(self) -> str:
        """A hash of all settings that affect the attempts or their marks."""
        models = self.recipe.resolved()["models"]
        judges = {
            role: models["roles"].get(role)
            or (models["roles"].get("default") if models["judge"] else None)
            for role in (STRICT_ROLE, LENIENT_ROLE)
        }
        return sha256_hex(canonical_json([self.played, judges]))[:16]

    def stages(self) -> tuple[Stage, ...]:
        """The stages of the evaluation. The first stage only holds the questions; its files are
        written while the benchmark is read.
        """
        rules, played, marked = self.recipe.teach, self.play_fingerprint, self.mark_fingerprint
        return in_order(
            Stage(name=ITEMS, takes=Item, gives=Item, fingerprint=played),
            Stage(
                name=PLAY,
                takes=Item,
                gives=Attempt,
                make=make_play,
                fingerprint=played,
                in_flight=max(1, rules.episodes_at_once // rules.rollouts),
            ),
            Stage(
                name=MARK,
                takes=Attempt,
                gives=Mark,
                make=make_mark,
                fingerprint=marked,
                in_flight=self.recipe.run.in_flight,
            ),
        )


def picture_path(out: str, benchmark: str, sha256: str) -> Path:
    """The path of a picture of a benchmark that is not a run."""
    return Path(out, benchmark, "pictures", sha256)


def make_play(job: EvaluateJob) -> Apply:
    """Makes the function with which a worker process plays the questions."""
    agent = open_agent(
        job.recipe.teach,
        job.place,
        job.mode,
        job.dialect,
        prompt=job.prompt,
        question_of=job.question if job.run else None,
    )
    player, files = agent.player, job.folder.files
    files.write_prompt(
        agent.toolbox.schemas(),
        max_calls=player.limits.calls,
        handles=agent.settings.tools.handles,
        brief=agent.settings.tools.brief,
        special_tokens=agent.special_tokens,
    )

    def journal(item: Item) -> Path:
        return files.journal(player.settings, item.id)

    def note(item: Item, times: Sequence[EpisodeTimes]) -> None:
        job.folder.note_times(item.id, job.recipe.run.shards, item.id, times)

    return Attempting(
        player=player,
        rollouts=job.recipe.teach.rollouts,
        picture=job.picture,
        journal=journal,
        keep=files.keep_picture,
        note=note,
        begin=agent.begin,
    ).__call__


def make_mark(job: EvaluateJob) -> Apply:
    """Makes the judge of a worker process. The judge applies rules first. If the recipe configures
    models for `judge_answer` and `judge_report`, the judge then asks these models."""
    models = job.recipe.models
    client = (
        job.place.client(MARK)
        if models.judged_by_model(STRICT_ROLE) or models.judged_by_model(LENIENT_ROLE)
        else None
    )
    return Marking(
        strict=AnswerJudge(client=client if models.judged_by_model(STRICT_ROLE) else None),
        lenient=ReportJudge(client=client if models.judged_by_model(LENIENT_ROLE) else None),
    ).__call__
