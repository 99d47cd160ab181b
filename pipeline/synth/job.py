"""Defines `Job`. A job holds the recipe and the folders of a run. The stages of the run get the
store, the searches and the model clients from the job."""

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
    """The settings of a run, and the places where it reads and writes. A job can be pickled, so
    that it reaches worker processes. A process opens each store or model only once, and all parts
    of the process share it through the job."""

    run: RunFolder
    store_path: str
    recipe: Recipe
    opened: Opened = field(default_factory=Opened, compare=False, repr=False)

    @classmethod
    def at(cls, recipe: Recipe, *, run: str, store: str, opened: Opened) -> "Job":
        """Makes a job from the paths that the user gave.

        Raises:
            InputError: a path or address is invalid.
        """
        return cls(RunFolder(absolute(run)), absolute(store), recipe, opened)

    @property
    def store(self) -> Store:
        return opened_store(self.store_path, self.opened)

    @property
    def lookups(self) -> Lookups:
        """Looks facts up in the store; the recipe's rules decide which claims can be trusted. Each
        process caches what it has looked up."""
        trust, language = self.recipe.certificate.trust, self.recipe.language
        return self.opened.once(
            ("lookups", self.store_path, trust, language),
            lambda: Lookups(self.store, trust, language),
        )

    @property
    def searches(self) -> LocalProvider:
        """The searches that an agent may use in its episodes."""
        return opened_searches(
            self.store_path, self.recipe.models.clip, self.recipe.pictures.licences, self.opened
        )

    @property
    def clip(self) -> Clip:
        return Clip.load(self.recipe.models.clip)

    def calls(self) -> Path | str:
        """Where the models' replies, the ledger of costs and the budget of the run are stored.

        Raises:
            InputError: `RunFolder.calls` does not accept this place.
        """
        return self.run.calls(self.recipe.run.calls)

    @property
    def place(self) -> PlayPlace:
        """The objects with which the job plays episodes and calls models."""
        return PlayPlace(
            self.store_path,
            self.calls,
            self.recipe.models,
            self.opened,
            self.recipe.seed,
            self.recipe.pictures.licences,
        )

    def client(self, stage: str) -> StageClient:
        """A client for the models that the recipe names. The ledger counts the calls of this client
        as costs of the given stage."""
        return self.place.client(stage)
