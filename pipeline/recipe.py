"""Recipes: YAML in, checked settings out. Unknown keys, wrong types and values out of range are refused with their place.

A recipe names only what differs from the defaults, or from another recipe (its key `base`); the resolved recipe, with every value and
no base, is written to the run.
The settings themselves are the frozen dataclasses of the parts that use them.
"""

import difflib
import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import yaml
from annotated_types import Ge
from pydantic import ConfigDict, TypeAdapter, ValidationError

from questloom.pipeline.settings import EvolveRules, ExportRules, FilterRules, ModelRules, RunRules
from questloom.prompts.roles import check_roles
from questloom.records.errors import InputError
from questloom.records.identity import canonical_json, sha256_hex
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.drafting.draft_rules import DraftRules, SeedRules
from questloom.transforms.enhancement.enhancement_rules import EnhancementRules
from questloom.transforms.episodes.episode_rules import TeachRules
from questloom.transforms.external.external_rules import ExternalRules
from questloom.transforms.filters.languages import LANGUAGES
from questloom.transforms.pictures.picture_rules import GroundingRules, PictureRules
from questloom.transforms.writing.llm.llm_rules import WRITER_ROLES

UNREADABLE = (yaml.YAMLError, UnicodeError, ValueError, RecursionError, OSError)
RECIPES = Path(__file__).parent.parent / "recipes"


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """All of a run's settings."""

    __pydantic_config__ = ConfigDict(
        extra="forbid"
    )  # pydantic hands it down to the plain dataclasses within

    name: str = "custom"
    """The run's name in report and card."""
    seed: Annotated[int, Ge(0)] = 0
    """For every draw of the run."""
    language: str = "en"
    """Of questions and answers, as Wikipedia's codes; the graph writer writes English only."""
    writer: str = "graph"
    """"graph" (no model) or "llm"."""
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
        return _adapter().dump_python(self, mode="json")

    @property
    def fingerprint(self) -> str:
        """Hash of everything that bears on the questions, and of nothing else: a section that comes later makes no run another run."""
        found = self.resolved()
        told = {name: found[name] for name in IDENTITY} | {
            "models": {name: found["models"][name] for name in MODELS_IDENTITY}
        }
        return sha256_hex(canonical_json(told))[:16]


@functools.cache
def _adapter() -> TypeAdapter[Recipe]:
    """Made once: it takes longer than reading a recipe."""
    return TypeAdapter(Recipe)


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
"""Of the section `models`; how much may be spent is raised to go on."""
UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden")
"""What pydantic calls an unknown key, of a dataclass and of a model."""


def load_recipe(source: str, overrides: tuple[str, ...] = ()) -> Recipe:
    """A recipe by file name or by the name of one that is shipped ("demo"), with `key.key=value` overrides.

    A file's key `base` names another recipe, shipped or a file beside it, over which the file's keys are laid: mappings key by key, all
    else as a whole.

    Raises:
        InputError: no such file, no YAML, bases in a circle, an unknown key, a wrong type, a value out of range.
    """
    path = _path(source, Path())
    data = _read(path, ())
    for override in overrides:
        _override(data, override)
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
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except UNREADABLE as error:
        raise InputError(
            str(path), f"cannot be read as YAML ({_fault(error)})", "Correct the file."
        ) from error
    if not isinstance(data, dict):
        raise InputError(
            str(path), "is no mapping of keys to values", "See recipes/demo.yaml for the shape."
        )
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
    return _laid_over(_read(base, chain), data)


def _laid_over(base: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    both = {
        key: _laid_over(base[key], value)
        for key, value in data.items()
        if isinstance(value, dict) and isinstance(base.get(key), dict)
    }
    return base | data | both


def with_overrides(recipe: Recipe, overrides: Iterable[str]) -> Recipe:
    """A recipe with some keys set anew.

    Raises:
        InputError: see `load_recipe`.
    """
    data = recipe.resolved()
    for override in overrides:
        _override(data, override)
    return recipe_of(data, "--set")


def recipe_of(data: Mapping[str, Any], where: str) -> Recipe:
    """The recipe of a mapping; `where` names it in errors."""
    try:
        return _consistent(_adapter().validate_python(data), where)
    except ValidationError as error:
        errors = error.errors()
        first = next(
            (e for e in errors if e["type"] in UNKNOWN), errors[0]
        )  # of a misspelt key that is required both are told
        key = ".".join(str(p) for p in first["loc"])
        if first["type"] in UNKNOWN:
            raise InputError(f"{where}, key {key}", "is unknown", _meant(first["loc"])) from error
        raise InputError(
            f"{where}, key {key}",
            f"{first['msg']} (it is {repr(first['input'])[:200]})",
            "Correct the value.",
        ) from error


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


def _fault(error: Exception) -> str:
    """Why YAML cannot be read, on one line."""
    return (
        "it is nested too deeply"
        if isinstance(error, RecursionError)
        else " ".join(str(error).split())[:300]
    )


def _override(data: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals or not key:
        raise InputError(
            f"--set {override}",
            "is not of the form key.key=value",
            "For example --set seeds.count=200.",
        )
    *parents, last = key.split(".")
    for name in parents:
        data = data.setdefault(name, {})
        if not isinstance(data, dict):
            raise InputError(
                f"--set {override}",
                f"{name} holds no keys",
                "Check the key against recipes/demo.yaml.",
            )
    try:
        data[last] = yaml.safe_load(text)
    except UNREADABLE as error:
        raise InputError(
            f"--set {key}",
            f"its value cannot be read as YAML ({_fault(error)})",
            "For example --set seeds.count=200.",
        ) from error


def _meant(place: tuple[int | str, ...]) -> str:
    """What to do about an unknown key: the most like of those that a recipe may have at its place."""
    node = schema = _adapter().json_schema()
    *parents, key = place
    for part in parents:
        node = (
            node["items"]
            if isinstance(part, int)
            else node.get("properties", {}).get(part) or node["additionalProperties"]
        )
        name = next(
            (
                option["$ref"].rpartition("/")[2]
                for option in (node, *node.get("anyOf", ()))
                if "$ref" in option
            ),
            "",
        )
        node = schema["$defs"].get(name, node)
    known = sorted(node["properties"])
    near = difflib.get_close_matches(str(key), known, n=1)
    return (
        f"Did you mean {'.'.join(map(str, (*parents, *near)))}?"
        if near
        else f"Known keys there: {', '.join(known)}."
    )
