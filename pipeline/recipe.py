"""Reads recipes: reads YAML, and returns checked settings. An unknown key, a wrong type or a value
out of range raises an error. The error says where the mistake is.

A recipe contains only the settings that differ from the defaults. A recipe whose key `base` names
another recipe contains only the settings that differ from that other recipe. Each run stores its
recipe with the value of every setting, so it needs no other recipe. Each section is a frozen
dataclass, defined beside the code that uses it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Ge

from questloom.files.extensions import is_extension, load_extension
from questloom.files.settings_files import (
    did_you_mean,
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
from questloom.transforms.writing.llm.llm_rules import WRITER_ROLES
from questloom.transforms.writing.writer_names import WRITER_KEY, WRITERS

RECIPES = Path(__file__).parent.parent / "recipes"


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """All of a run's settings."""

    name: str = "custom"
    """The run's name in its report and data card."""
    seed: Annotated[int, Ge(0)] = 0
    """The random seed of the run."""
    language: str = "en"
    """Wikipedia's code for the language of questions and answers. The graph writer writes English and German."""
    writer: str = "graph"
    """Who writes the questions: "graph" (no model), "llm", or a writer of another package. A writer
    of another package is named by `module:Class` or by an entry point of `questloom.writers`. The
    writer's code runs with the rights of the program. The rules that check a model's words also
    check this writer's words."""
    seeds: SeedRules = field(default_factory=SeedRules)
    draft: DraftRules = field(default_factory=DraftRules)
    certificate: CertificateRules = field(default_factory=CertificateRules)
    pictures: PictureRules = field(default_factory=PictureRules)
    grounding: GroundingRules = field(default_factory=GroundingRules)
    filters: FilterRules = field(default_factory=FilterRules)
    enhancement: EnhancementRules = field(default_factory=EnhancementRules)
    external: tuple[ExternalRules, ...] = ()
    """External data sets whose rows enter the run at the filters."""
    export: ExportRules = field(default_factory=ExportRules)
    models: ModelRules = field(default_factory=ModelRules)
    teach: TeachRules = field(default_factory=TeachRules)
    """The settings of the command `questloom teach`; they do not change the questions."""
    evolve: EvolveRules = field(default_factory=EvolveRules)
    """The settings of the closed loop; a run outside a loop does not use them."""
    run: RunRules = field(default_factory=RunRules)

    def resolved(self) -> dict[str, Any]:
        """Every setting as plain JSON."""
        return settings_adapter(Recipe).dump_python(self, mode="json")

    @property
    def fingerprint(self) -> str:
        """A hash of all settings that can change the questions. Other settings leave the hash
        unchanged.

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
        """The identities of objects from other packages that can change the questions.

        Raises:
            InputError: an object cannot be imported.
        """
        named = [(each, "filters", FILTERS_KEY) for each in self.filters.custom]
        if self.own_writer:
            named.append((self.own_writer, "writers", WRITER_KEY))
        return [load_extension(*each).identity for each in named]

    @property
    def own_writer(self) -> str:
        """The name of the writer if it comes from another package; otherwise ""."""
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
"""The sections of the recipe that can change the questions."""
MODELS_IDENTITY = ("endpoints", "roles", "llm", "judge", "clip")
"""The keys of the section `models` that can change the questions. The budget is left out, so a
resumed run may have a higher budget."""
EXAMPLE, REFERENCE = "--set seeds.count=200", "recipes/REFERENCE.md"


def load_recipe(source: str, overrides: Sequence[str] = ()) -> Recipe:
    """Loads a recipe from a file, or a shipped one by its name ("demo"), with `key.key=value` overrides.

    The key `base` names another recipe: a shipped one, or a file beside this one. The file's own
    keys override the base. Mappings merge key by key; other values are replaced as a whole.

    Raises:
        InputError: the file is missing or is not YAML, the recipes form a circle through `base`, a
            key is unknown, or a value has the wrong type or range.
    """
    path = _path(source, Path())
    data = _read(path, ())
    for override in overrides:
        set_key(data, override, example=EXAMPLE, reference=REFERENCE)
    return recipe_of(
        data, f"{path} with --set {' --set '.join(overrides)}"[:300] if overrides else str(path)
    )


def _path(source: str, folder: Path) -> Path:
    """The file of a recipe. A relative path starts at `folder`."""
    path = folder / source
    if not path.suffix and not path.is_file():
        path = RECIPES / f"{source}.yaml"
    if not path.is_file():
        known = sorted(p.stem for p in RECIPES.glob("*.yaml"))
        raise InputError(
            source,
            "no such recipe",
            f"{did_you_mean(source, known)}Name a file, or one of the shipped recipes: {', '.join(known)}.",
        )
    return path


def _read(path: Path, above: tuple[Path, ...]) -> dict[str, Any]:
    """The keys of a file, merged over the keys of the recipes that it is based on. `above` lists
    the files that are based on this one, directly or indirectly."""
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
    """The recipe with some keys replaced.

    Raises:
        InputError: see `load_recipe`.
    """
    data = recipe.resolved()
    for override in overrides:
        set_key(data, override, example=EXAMPLE, reference=REFERENCE)
    return recipe_of(data, "--set")


def recipe_of(data: Mapping[str, Any], where: str) -> Recipe:
    """Builds a recipe from a mapping. Error messages begin with the text `where`."""
    return _consistent(settings_of(Recipe, data, where), where)


def _consistent(recipe: Recipe, where: str) -> Recipe:
    """Raises an error for an unknown role, an untested language, a table whose weights are all 0,
    and a level with a weight for which `draft` sets no length. Names in the question's own language always
    count as leaks."""
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
    languages = tuple(dict.fromkeys((recipe.language, *recipe.certificate.languages)))
    return replace(recipe, certificate=replace(recipe.certificate, languages=languages))
