"""Gives Python code the content of a finished run: questions, rejections, episodes, pictures,
report."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from questloom.pipeline.recipe import Recipe, recipe_of
from questloom.records.errors import InputError

if TYPE_CHECKING:
    from questloom.records.episodes import Episode
    from questloom.records.outcomes import Rejection, StageCount
    from questloom.records.synthesis import Question
    from questloom.records.trajectories import Trajectory
    from questloom.transforms.episodes.episode_folder import EpisodeFolder
    from questloom.transforms.stages.run_folder import RunFolder


@dataclass(frozen=True)
class Run:
    """The folder of a run, opened by `load_run`. If a job has written more into the folder since
    then, call `load_run` again to see all of it.

    >>> import questloom
    >>> run = questloom.load_run("run")
    >>> len(run.questions), run.questions[0].level
    (10, 'easy')
    >>> run.picture(run.questions[0])[:3]  # a JPEG file
    b'\\xff\\xd8\\xff'
    >>> next(run.rejections()).reason
    'no_description'
    """

    path: str
    """The path of the run's folder, or the folder's address in a bucket."""
    recipe: Recipe
    """All settings of the run."""

    @property
    def _folder(self) -> "RunFolder":
        from questloom.transforms.stages.run_folder import RunFolder

        return RunFolder(self.path)

    @cached_property
    def questions(self) -> "list[Question]":
        """The questions that the run kept, in order of shards and ids.

        Raises:
            InputError: the run is not finished.
        """
        from questloom.records.synthesis import Question
        from questloom.transforms.episodes.run_questions import finished_stage

        folder = self._folder
        return list(folder.read(finished_stage(folder, self.recipe.run.shards), "kept", Question))

    def rejections(self) -> "Iterator[Rejection]":
        """The items that each stage rejected, with reasons, in the order of the stages."""
        from questloom.records.outcomes import Rejection

        folder = self._folder
        for label in folder.labels():
            yield from folder.read(label, "rejected", Rejection)

    @property
    def counts(self) -> "list[StageCount]":
        """How many items each stage received, kept and rejected."""
        folder = self._folder
        return [folder.count(label) for label in folder.labels()]

    def picture(self, question: "Question") -> bytes:
        """A question's picture in the form that the policy sees, as the bytes of a JPEG file.

        Raises:
            InputError: the picture is missing or damaged.
        """
        return self._folder.read_picture(question.image_id)

    @property
    def dataset(self) -> str:
        """The folder of the data set; "" if the run has none yet."""
        folder = self._folder.dataset
        return str(folder) if folder.is_dir() else ""

    @property
    def policies(self) -> list[str]:
        """The names of the policies whose episodes the run holds."""
        return self._folder.policies()

    def episodes(self, policy: str = "teacher") -> "list[Episode]":
        """All episodes that a policy has finished, both good and bad.

        Raises:
            InputError: the policy has played no question of the run.
        """
        from questloom.transforms.episodes.episode_folder import PLAY

        return [t.episode for t in self._trajectories(policy, PLAY)]

    def trajectories(self, policy: str = "teacher") -> "list[Trajectory]":
        """The episodes that were kept, each with its question and the judges' verdicts.

        Raises:
            InputError: the policy has played no question of the run.
        """
        from questloom.transforms.episodes.episode_folder import KEEP

        return self._trajectories(policy, KEEP)

    def _trajectories(self, policy: str, stage: str) -> "list[Trajectory]":
        from questloom.records.trajectories import Trajectory

        folder = self._episodes(policy)
        return list(folder.read(folder.label(stage), "kept", Trajectory))

    def _episodes(self, policy: str) -> "EpisodeFolder":
        from questloom.transforms.episodes.episode_folder import EpisodeFolder

        if policy not in self.policies:
            known = ", ".join(self.policies) or "none"
            raise InputError(
                f"policy {policy}",
                f"has played nothing of the run {self.path}",
                f"Policies that have: {known}. `questloom teach` plays.",
            )
        return EpisodeFolder.of(self._folder, policy)

    def report(self) -> str:
        """Builds the HTML report anew. Returns the path of the report's first page."""
        from questloom.pipeline.report import build_report

        return str(build_report(self._folder.at()))


def run_at(path: str) -> Run:
    """Opens the run at a path.

    Raises:
        InputError: the folder holds no run.
    """
    from questloom.transforms.stages.run_folder import RunFolder, absolute

    folder = RunFolder(absolute(path))
    return Run(folder.path, recipe_of(folder.read_recipe()["recipe"], f"{path}/recipe.json"))
