"""Recipes: YAML in, checked settings out. Unknown keys, wrong types and values out of range are refused with their place.

A recipe names only what differs from the defaults, or from another recipe (its key `base`); the resolved recipe, with every value and
no base, is written to the run.
The settings themselves are the frozen dataclasses of the parts that use them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge

from questloom.files.extensions import is_extension, load_extension
from questloom.files.settings_files import (
    lay_over,
    read_settings_file,
    set_key,
    settings_adapter,
    settings_of,
)
from questloom.pipeline.settings import EvolveRules, ExportRules, FilterRules, ModelRules, RunRules
from questloom.prompts.roles import check_roles
from questloom.records.errors import InputError
from questloom.records.identity import canonical_json, sha256_hex
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.drafting.draft_rules import DraftRules, SeedRules
from questloom.transforms.enhancement.enhancement_rules import EnhancementRules
from questloom.transforms.episodes.episode_rules import TeachRules
from questloom.transforms.external.external_rules import ExternalRules
from questloom.transforms.filters.custom import KEY as FILTERS_KEY
from questloom.transforms.filters.languages import LANGUAGES
from questloom.transforms.pictures.picture_rules import GroundingRules, PictureRules
from questloom.transforms.writing.custom import KEY as WRITER_KEY
from questloom.transforms.writing.llm.llm_rules import WRITER_ROLES
from questloom.transforms.writing.writer import WRITERS

RECIPES = Path(__file__).parent.parent / "recipes"


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """All of a run's settings."""

    name: str = "custom"
    """The run's name in report and card."""
    seed: Annotated[int, Ge(0)] = 0
    """For every draw of the run."""
    language: str = "en"
    """Language of questions and answers, by Wikipedia's code. The graph writer writes English only."""
    writer: str = "graph"
    """"graph" (no model), "llm", or a writer of another package: `module:Class`, or the name of an entry point of `questloom.writers`. Such a
    writer is imported and run like the program; its words are held against the plan by the rules for those of a model."""
    seeds: SeedRules = field(default_factory=SeedRules)
    draft: DraftRules = field(default_factory=DraftRules)
    certificate: CertificateRules = field(default_factory=CertificateRules)
    pictures: PictureRules = field(default_factory=PictureRules)
    grounding: GroundingRules = field(default_factory=GroundingRules)
    filters: FilterRules = field(default_factory=FilterRules)
    enhancement: EnhancementRules = field(default_factory=EnhancementRules)
    external: tuple[ExternalRules, ...] = ()
    """Sources of outside rows, which enter at the filters."""
    export: ExportRules = field(default_factory=ExportRules)
    models: ModelRules = field(default_factory=ModelRules)
    teach: TeachRules = field(default_factory=TeachRules)
    """The teacher's; no question depends on it."""
    evolve: EvolveRules = field(default_factory=EvolveRules)
    """The closed loop's; no single run depends on it."""
    run: RunRules = field(default_factory=RunRules)

    def resolved(self) -> dict[str, Any]:
        """Every setting as plain JSON."""
        return settings_adapter(Recipe).dump_python(self, mode="json")

    @property
    def fingerprint(self) -> str:
        """Hash of everything that bears on the questions, and of nothing else: a section that comes later makes no run another run.

        Raises:
            InputError: see `extensions`.
        """
        found = self.resolved()
        told = {name: found[name] for name in IDENTITY} | {
            "models": {name: found["models"][name] for name in MODELS_IDENTITY}
        }
        if extensions := self.extensions:
            told["extensions"] = extensions
        return sha256_hex(canonical_json(told))[:16]

    @property
    def extensions(self) -> list[str]:
        """The identities of the objects of other packages on which the questions depend.

        Raises:
            InputError: one cannot be imported.
        """
        named = [(each, "filters", FILTERS_KEY) for each in self.filters.custom]
        if self.own_writer:
            named.append((self.own_writer, "writers", WRITER_KEY))
        return [load_extension(*each).identity for each in named]

    @property
    def own_writer(self) -> str:
        """The writer where it is one of another package, else ""."""
        custom = self.writer not in WRITERS and is_extension(self.writer, "writers")
        return self.writer if custom else ""


IDENTITY = (
    "name",
    "seed",
    "language",
    "writer",
    "seeds",
    "draft",
    "certificate",
    "pictures",
    "grounding",
    "filters",
    "enhancement",
    "external",
    "export",
)
"""The sections on which the questions depend."""
MODELS_IDENTITY = ("endpoints", "roles", "llm", "judge", "clip")
"""Of the section `models`; how much may be spent may be raised when the run is resumed."""
EXAMPLE, REFERENCE = "--set seeds.count=200", "recipes/REFERENCE.md"


def load_recipe(source: str, overrides: Sequence[str] = ()) -> Recipe:
    """A recipe by file name or by the name of one that is shipped ("demo"), with `key.key=value` overrides.

    A file's key `base` names another recipe, shipped or a file beside it, over which the file's keys are laid: mappings key by key, all
    else as a whole.

    Raises:
        InputError: no such file, no YAML, bases in a circle, an unknown key, a wrong type, a value out of range.
    """
    path = _path(source, Path())
    data = _read(path, ())
    for override in overrides:
        set_key(data, override, example=EXAMPLE, reference=REFERENCE)
    return recipe_of(
        data, f"{path} with --set {' --set '.join(overrides)}"[:300] if overrides else str(path)
    )


def _path(source: str, folder: Path) -> Path:
    """The file of a recipe; a relative one is looked for in `folder`."""
    path = folder / source
    if not path.suffix and not path.is_file():
        path = RECIPES / f"{source}.yaml"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in RECIPES.glob("*.yaml")))
        raise InputError(
            source, "no such recipe", f"Name a file, or one of the shipped recipes: {known}."
        )
    return path


def _read(path: Path, above: tuple[Path, ...]) -> dict[str, Any]:
    """A file's keys over those of its bases; `above` are the files that are based on it."""
    data = read_settings_file(path, example="recipes/demo.yaml for the shape")
    if "base" not in data:
        return data
    named, chain = data.pop("base"), (*above, path.resolve())
    if not isinstance(named, str):
        raise InputError(
            f"{path}, key base",
            f"names no recipe (it is {named!r})",
            "Give the name of a shipped recipe, or a file.",
        )
    base = _path(named, path.parent)
    if base.resolve() in chain:
        raise InputError(
            f"{path}, key base",
            f"leads in a circle: {' -> '.join(p.name for p in (*chain, base))}",
            "Name a recipe that is not based on this one.",
        )
    return lay_over(_read(base, chain), data)


def with_overrides(recipe: Recipe, overrides: Iterable[str]) -> Recipe:
    """A recipe with some keys set anew.

    Raises:
        InputError: see `load_recipe`.
    """
    data = recipe.resolved()
    for override in overrides:
        set_key(data, override, example=EXAMPLE, reference=REFERENCE)
    return recipe_of(data, "--set")


def recipe_of(data: Mapping[str, Any], where: str) -> Recipe:
    """The recipe of a mapping; `where` names it in errors."""
    return _consistent(settings_of(Recipe, data, where), where)


def _consistent(recipe: Recipe, where: str) -> Recipe:
    """Refuses unknown roles, a language without tests, weights that are all 0, and a level that is drawn and of which the draft knows no length."""
    check_roles(recipe.models.roles, f"{where}, key models.roles")
    check_roles(recipe.models.llm.guidance, f"{where}, key models.llm.guidance", WRITER_ROLES)
    for key, languages in (
        ("language", (recipe.language,)),
        ("certificate.languages", recipe.certificate.languages),
    ):
        if untested := sorted(set(languages) - set(LANGUAGES)):
            raise InputError(
                f"{where}, key {key}: {', '.join(untested)}",
                "has no tests that names are found in its texts, so leaks would pass",
                f"Use {', '.join(LANGUAGES)}; or add it, with its cases, to transforms/filters/languages.py and its test.",
            )
    for name in ("methods", "rules", "levels"):
        if not any(getattr(recipe.seeds, name).values()):
            raise InputError(
                f"{where}, key seeds.{name}",
                "gives no weight to any",
                "Give one of them a weight above 0.",
            )
    for method, name, lengths in (
        ("paths", "hops", recipe.draft.hops),
        ("injection", "rounds", recipe.draft.rounds),
        ("exploration", "explore.claims", recipe.draft.explore.claims),
    ):
        missing = [
            level
            for level, weight in recipe.seeds.levels.items()
            if weight and level not in lengths
        ]
        if missing and recipe.seeds.methods.get(method):
            raise InputError(
                f"{where}, key seeds.levels.{missing[0]}",
                f"has a weight, and draft.{name} does not say how long such a question is",
                f"Set draft.{name}.{missing[0]}.",
            )
    return recipe
