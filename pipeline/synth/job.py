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
    """A run's settings and places. The object can be pickled. All code in a process shares the
    objects that it opens."""

    run: RunFolder
    store_path: str
    recipe: Recipe
    opened: Opened = field(default_factory=Opened, compare=False, repr=False)

    @classmethod
    def at(cls, recipe: Recipe, *, run: str, store: str, opened: Opened) -> "Job":
        """Makes a job from the user's paths.

        Raises:
            InputError: a path or address is invalid.
        """
        return cls(RunFolder(absolute(run)), absolute(store), recipe, opened)

    @property
    def store(self) -> Store:
        return opened_store(self.store_path, self.opened)

    @property
    def lookups(self) -> Lookups:
        """The store's look-ups, with the recipe's rules on which claims to trust. Each process
        caches the results of the look-ups."""
        trust, language = self.recipe.certificate.trust, self.recipe.language
        return self.opened.once(
            ("lookups", self.store_path, trust, language),
            lambda: Lookups(self.store, trust, language),
        )

    @property
    def searches(self) -> LocalProvider:
        """The searches that episodes may use."""
        return opened_searches(
            self.store_path, self.recipe.models.clip, self.recipe.pictures.licences, self.opened
        )

    @property
    def clip(self) -> Clip:
        return Clip.load(self.recipe.models.clip)

    def calls(self) -> Path | str:
        """Where the run's replies, ledger and budget are stored.

        Raises:
            InputError: `RunFolder.calls` refuses the place.
        """
        return self.run.calls(self.recipe.run.calls)

    @property
    def place(self) -> PlayPlace:
        """The place where the job plays episodes and calls models."""
        return PlayPlace(
            self.store_path,
            self.calls,
            self.recipe.models,
            self.opened,
            self.recipe.seed,
            self.recipe.pictures.licences,
        )

    def client(self, stage: str) -> StageClient:
        """A client for the recipe's models. The ledger attributes the calls to the stage."""
        return self.place.client(stage)
