"""Why nothing can be a seed: the causes with their numbers, and each wanted rule's thresholds beside what the store has."""

from questloom.records.knowledge import Article, Entity, ImageAsset, InfoboxField
from questloom.transforms.drafting.draft_rules import SeedRules
from questloom.transforms.drafting.seed_shortage import shortage
from questloom.transforms.drafting.seeds import obstacles
from questloom.transforms.pictures.picture_rules import PictureRules
from tests.small_facts import SmallFacts, claim


def picture(side: int, licence: str = "CC0") -> ImageAsset:
    return ImageAsset(
        id=f"i{side}{licence}",
        file="x.jpg",
        mime="image/jpeg",
        width=side,
        height=side + 100,
        num_bytes=1,
        licence=licence,
    )


def store(
    *,
    in_degree: int = 7,
    statements: int = 3,
    links: int = 2,
    side: int = 300,
    licence: str = "CC0",
) -> SmallFacts:
    entities = {
        n: Entity(
            id=n,
            labels={"en": n},
            classes=("Q39715",),
            in_degree=in_degree,
            num_statements=statements,
            picture_files=("x.jpg",),
            sitelinks={f"w{i}wiki": n for i in range(links)},
        )
        for n in ("Q1", "Q2")
    }
    entities["Q3"] = Entity(id="Q3", labels={"en": "Q3"})
    articles = {
        n: Article(
            wiki="enwiki",
            title=n,
            page_id=1,
            revision=1,
            entity_id=n,
            infobox=(InfoboxField(name="a", text="b"),),
        )
        for n in ("Q1", "Q2")
    }
    return SmallFacts(
        [claim("Q1", "P31", "Q39715"), claim("Q2", "P31", "Q39715")],
        entities,
        articles,
        {"Q1": (picture(side, licence),)},
    )


def why(facts: SmallFacts, **rules) -> str:
    return told([facts.entity(n) for n in ("Q1", "Q2", "Q3")], facts, SeedRules(**rules))


def told(found: list[Entity], facts: SmallFacts, rules: SeedRules) -> str:
    return shortage(
        found,
        obstacles(found, facts, rules, PictureRules(), max_answer_words=6),
        facts,
        rules,
        PictureRules(),
    )


def test_each_wanted_rule_says_what_it_asks_by_the_recipes_key_and_what_the_store_has():
    said = why(store())
    assert said.startswith(
        "of the first 3 things 2 fit none of the rules (anchor, rare); 1 have no class (P31). "
    )
    assert "20 statements at least (seeds.rare_min_statements; the most are 3)" in said
    assert "10 sitelinks at most (seeds.rare_max_sitelinks; the fewest are 2)" in said
    assert (
        "50 to 10,000 links from other pages (seeds.anchor_min_in_degree, seeds.anchor_max_in_degree; they have 7 to 7)"
        in said
    )
    assert "512 pixels (pictures.min_side; the largest has 300)" in said


def test_a_rule_that_is_not_wanted_is_not_told_of():
    pictured = why(store(), rules={"pictured": 1, "rare": 0})
    assert (
        "statements" not in pictured
        and "infobox" not in pictured
        and "the store has 1 of these things, 1 with a licence" in pictured
    )
    assert "statements" in why(store(), rules={"rare": 1}) and "pixels" not in why(
        store(), rules={"rare": 1}
    )


def test_what_is_not_there_at_all_is_told_as_none():
    said = why(store(licence=""), rules={"pictured": 1})
    assert (
        "the store has 1 of these things, 0 with a licence of pictures.licences" in said
        and "pixels" not in said
    )
    bare = SmallFacts([claim("Q1", "P31", "Q39715")])
    said = told([bare.entity("Q1")], bare, SeedRules())
    assert (
        "no human: 0 are such" in said
        and "an infobox: 0 have one" in said
        and "the store has 0 of these things" in said
    )
    assert told([], bare, SeedRules()).startswith("it has no entities")


def test_where_things_could_be_seeds_and_all_are_excluded_that_is_told():
    facts = store(side=600)
    assert "seeds.exclude" in told([facts.entity("Q1")], facts, SeedRules(rules={"pictured": 1}))
