"""`Job`: a run's recipe and folders, and the store, searches and model clients that its stages may open."""

from dataclasses import dataclass, field
from pathlib import Path

from questloom.agent.providers.local_provider import LocalProvider
from questloom.agent.setup import PlayPlace, opened_searches, opened_store
from questloom.files.opened import Opened
from questloom.knowledge.store.store import Store
from questloom.models.clip import Clip
from questloom.models.stage_client import StageClient
from questloom.pipeline.recipe import Recipe
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.stages.run_folder import RunFolder, absolute


@dataclass(frozen=True)
class Job:
    """A run's settings and places. It pickles; what it opens is shared by everything in a process."""

    run: RunFolder
    store_path: str
    recipe: Recipe
    opened: Opened = field(default_factory=Opened, compare=False, repr=False)

    @classmethod
    def at(cls, recipe: Recipe, *, run: str, store: str, opened: Opened) -> "Job":
        """A job by the user's paths.

        Raises:
            InputError: an address that cannot be.
        """
        return cls(RunFolder(absolute(run)), absolute(store), recipe, opened)

    @property
    def store(self) -> Store:
        return opened_store(self.store_path, self.opened)

    @property
    def lookups(self) -> Lookups:
        """The store, believed as the recipe says; with its answers, one a process."""
        trust = self.recipe.certificate.trust
        return self.opened.once(
            ("lookups", self.store_path, trust), lambda: Lookups(self.store, trust)
        )

    @property
    def searches(self) -> LocalProvider:
        """The searches that episodes have."""
        return opened_searches(
            self.store_path, self.recipe.models.clip, self.recipe.pictures.licences, self.opened
        )

    @property
    def clip(self) -> Clip:
        return Clip.load(self.recipe.models.clip)

    def calls(self) -> Path | str:
        """Where the run's replies, ledger and budget are.

        Raises:
            InputError: see `RunFolder.calls`.
        """
        return self.run.calls(self.recipe.run.calls)

    @property
    def place(self) -> PlayPlace:
        """Where episodes are played and models asked."""
        return PlayPlace(
            self.store_path,
            self.calls,
            self.recipe.models,
            self.opened,
            self.recipe.seed,
            self.recipe.pictures.licences,
        )

    def client(self, stage: str) -> StageClient:
        """The recipe's models, with calls booked on a stage."""
        return self.place.client(stage)
