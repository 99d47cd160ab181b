"""Explains why a store gives no seeds under a recipe: what excludes its things. The text also
states the recipe's thresholds and the best values in the store."""

from collections.abc import Iterator, Mapping

from questloom.records.knowledge import Entity, ImageAsset
from questloom.transforms.drafting.draft_rules import SeedRules
from questloom.transforms.drafting.seeds import HUMAN
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.pictures.choose import may_be_given_on
from questloom.transforms.pictures.picture_rules import PictureRules

FIX = (
    "Set the thresholds to what the store has (--set KEY=VALUE), or ingest what it lacks: items with their classes (--entities), articles (--articles), "
    "pictures with licences (--images)."
)


def shortage(
    found: list[Entity],
    causes: Mapping[str, int],
    facts: Facts,
    rules: SeedRules,
    pictures: PictureRules,
) -> str:
    """The causes in words, each with the number of things that it excludes. After the causes come
    the thresholds of the recipe's rules, with the best values in the store.

    Args:
        found: the entities of the store, or the first of them.
        causes: what `obstacles` returns for these entities.
        facts: the store.
        rules: the recipe's settings for seeds.
        pictures: the recipe's settings for pictures.
    """
    if not found:
        return "it has no entities, or seeds.exclude names them all"
    if not causes:
        return f"of the first {len(found):,} things each could be one, and seeds.exclude names it, or seeds.methods asks for what it has not"
    wanted = {name for name, weight in rules.rules.items() if weight}
    asked = [
        *(_rare(found, facts, rules) if "rare" in wanted else ()),
        *(_anchor(found, facts, rules) if "anchor" in wanted else ()),
        *(_pictures(found, facts, pictures) if wanted & {"anchor", "pictured"} else ()),
    ]
    return f"of the first {len(found):,} things {'; '.join(f'{n:,} {why}' for why, n in causes.items())}. {'. '.join(asked)}".rstrip(
        ". "
    )


def _rare(found: list[Entity], facts: Facts, rules: SeedRules) -> Iterator[str]:
    mine = [
        e
        for e in found
        if e.picture_files and HUMAN not in e.class_closure and facts.article(e.id) is not None
    ]
    yield f"The rule rare asks for an article, a picture file (P18) and no human: {len(mine):,} are such"
    if mine:
        yield (
            f"and for {rules.rare_max_sitelinks:,} sitelinks at most (seeds.rare_max_sitelinks; the fewest are {min(e.num_sitelinks for e in mine):,}) and "
            f"{rules.rare_min_statements:,} statements at least (seeds.rare_min_statements; the most are {max(e.num_statements for e in mine):,})"
        )


def _anchor(found: list[Entity], facts: Facts, rules: SeedRules) -> Iterator[str]:
    mine = [e for e in found if (article := facts.article(e.id)) is not None and article.infobox]
    yield f"The rule anchor asks for an infobox: {len(mine):,} have one"
    if mine:
        degrees = [e.in_degree for e in mine]
        yield (
            f"and for {rules.anchor_min_in_degree:,} to {rules.anchor_max_in_degree:,} links from other pages (seeds.anchor_min_in_degree, "
            f"seeds.anchor_max_in_degree; they have {min(degrees):,} to {max(degrees):,})"
        )


def _pictures(found: list[Entity], facts: Facts, rules: PictureRules) -> Iterator[str]:
    images: dict[str, ImageAsset] = {i.id: i for e in found for i in facts.images_of(e.id)}
    licensed = [i for i in images.values() if may_be_given_on(i, rules.licences)]
    yield f"A picture is asked for: the store has {len(images):,} of these things, {len(licensed):,} with a licence of pictures.licences"
    if licensed:
        yield (
            f"the shorter side must have {rules.min_side:,} pixels (pictures.min_side; the largest has {max(min(i.width, i.height) for i in licensed):,})"
            + (
                ", and another view must be there (pictures.withhold_own)"
                if rules.withhold_own
                else ""
            )
        )
