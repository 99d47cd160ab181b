"""Which entities may be seeds, each rule with the case just on either side of it."""

import pytest

from questloom.records.knowledge import (
    Article,
    Claim,
    Detail,
    Entity,
    ImageAsset,
    InfoboxField,
    Value,
)
from questloom.transforms.drafting.draft_rules import SeedRules
from questloom.transforms.drafting.seeds import (
    Candidate,
    candidates,
    choose,
    is_anchor,
    is_linked,
    is_rare,
    may_be_shown,
    obstacles,
)
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.trust import Trust
from questloom.transforms.pictures.picture_rules import PictureRules
from tests.small_facts import SmallFacts, claim, year

PAGE = Article(
    wiki="enwiki",
    title="X",
    page_id=1,
    revision=1,
    infobox=(InfoboxField(name="height", text="30"),),
)
RARE = Entity(
    id="Qx",
    sitelinks={f"w{i}wiki": "X" for i in range(10)},
    num_statements=20,
    picture_files=("x.jpg",),
    classes=("Q39715",),
    class_closure=("Q39715",),
)
TRUST = Trust()


def image(width: int = 800, id: str = "i", **more) -> ImageAsset:
    return ImageAsset(
        id=id,
        file=f"{id}.jpg",
        mime="image/jpeg",
        width=width,
        height=600,
        num_bytes=1,
        licence="CC0",
        **more,
    )


def test_a_rare_entity_has_an_article_few_sitelinks_many_statements_a_picture_and_is_no_human():
    rules = SeedRules()
    assert is_rare(RARE, PAGE, rules)
    assert not is_rare(RARE, None, rules)
    assert not is_rare(RARE.replace(sitelinks={**RARE.sitelinks, "onemorewiki": "X"}), PAGE, rules)
    assert not is_rare(RARE.replace(num_statements=19), PAGE, rules)
    assert not is_rare(RARE.replace(picture_files=()), PAGE, rules)
    assert not is_rare(RARE.replace(class_closure=("Q5",)), PAGE, rules)


@pytest.mark.parametrize(
    ("in_degree", "fits"), [(49, False), (50, True), (10_000, True), (10_001, False)]
)
def test_an_anchor_has_links_in_within_bounds(in_degree, fits):
    assert is_anchor(RARE.replace(in_degree=in_degree), PAGE, [image()], SeedRules()) == fits


def test_an_anchor_has_an_infobox_and_a_picture_that_may_be_shown():
    entity = RARE.replace(in_degree=100)
    assert not is_anchor(entity, PAGE.replace(infobox=()), [image()], SeedRules())
    assert not is_anchor(entity, None, [image()], SeedRules())
    assert not is_anchor(entity, PAGE, [], SeedRules())


def pictured(*claims, images=(), entity_id="Qx") -> SmallFacts:
    return SmallFacts(
        [claim(entity_id, "P31", "Q5"), *claims], images={entity_id: tuple(images) or (image(),)}
    )


def seeds(
    facts: SmallFacts, rules: SeedRules | None = None, pictures: PictureRules | None = None
) -> list[Candidate]:
    return list(
        candidates(
            facts.entity("Qx"),
            facts,
            rules or SeedRules(rules={"pictured": 1}),
            pictures or PictureRules(),
            1,
            max_answer_words=6,
        )
    )


def test_people_without_a_date_of_death_are_not_shown_unless_the_recipe_says_so():
    living, dead = pictured(), pictured(claim("Qx", "P570", year(1900)))
    assert not may_be_shown(living, living.entity("Qx"), living_people=False)
    assert may_be_shown(living, living.entity("Qx"), living_people=True)
    assert may_be_shown(dead, dead.entity("Qx"), living_people=False)
    assert (
        not seeds(living)
        and seeds(dead)
        and seeds(living, SeedRules(rules={"pictured": 1}, living_people=True))
    )
    assert obstacles(
        [living.entity("Qx")], living, SeedRules(), PictureRules(), max_answer_words=6
    ) == {"are people without a date of death": 1}


def test_something_that_is_no_person_needs_no_date_of_death():
    facts = SmallFacts([claim("Qx", "P31", "Q39715")], images={"Qx": (image(),)})
    assert may_be_shown(facts, facts.entity("Qx"), living_people=False)


def test_an_entity_without_a_class_or_a_rule_that_fits_is_no_seed():
    facts = SmallFacts([claim("Qx", "P19", "Q1")], images={"Qx": (image(),)})
    assert obstacles(
        [facts.entity("Qx")], facts, SeedRules(), PictureRules(), max_answer_words=6
    ) == {"have no class (P31)": 1}
    lamp = SmallFacts([claim("Qx", "P31", "Q1")])
    assert obstacles(
        [lamp.entity("Qx")], lamp, SeedRules(), PictureRules(), max_answer_words=6
    ) == {"fit none of the rules (anchor, rare)": 1}


def test_a_thing_by_whose_name_another_of_its_kind_is_meant_is_no_seed():
    claims = [
        claim("Qx", "P31", "Q5"),
        claim("Qx", "P570", year(1921)),
        claim("Qy", "P31", "Q5"),
        claim("Qz", "P31", "Q515"),
    ]
    named = {"Qx": Entity(id="Qx", labels={"en": "Zachary Taylor"})}
    for other, why in (
        ("Qy", {"bear the name of a better known thing of their kind": 1}),
        ("Qz", {}),
        ("Qx", {}),
    ):
        page = Article(
            wiki="enwiki", title="Zachary Taylor", page_id=1, revision=1, entity_id=other
        )
        facts = SmallFacts(claims, named, {other: page}, images={"Qx": (image(),)})
        assert (
            obstacles(
                [facts.entity("Qx")],
                facts,
                SeedRules(rules={"pictured": 1}),
                PictureRules(),
                max_answer_words=6,
            )
            == why
        ), other


def test_a_path_starts_at_a_picture_that_is_large_enough_and_injection_needs_none():
    dead = claim("Qx", "P570", year(1900))
    assert {c.seed.method for c in seeds(pictured(dead))} == {"injection", "paths"}
    assert not seeds(pictured(dead, images=[image(511)]))
    assert seeds(pictured(dead, images=[image(512)]))


def test_an_entity_gives_so_many_seeds_a_method_and_rule():
    facts = pictured(claim("Qx", "P570", year(1900)))
    found = seeds(facts, SeedRules(rules={"pictured": 1}, per_entity=3, levels={"easy": 1}))
    assert len(found) == 6 and len({c.seed.id for c in found}) == 6
    assert {c.seed.level for c in found} == {"easy"}


def test_levels_are_drawn_by_weight():
    facts = pictured(claim("Qx", "P570", year(1900)))
    found = [
        c.seed.level
        for c in seeds(
            facts,
            SeedRules(
                rules={"pictured": 1},
                per_entity=20,
                methods={"paths": 1},
                levels={"easy": 1, "hard": 3},
            ),
        )
    ]
    assert 1 <= found.count("easy") <= 10 < found.count("hard") + 1


def test_a_ladder_has_a_seed_at_every_level_and_they_are_drawn_together():
    facts = pictured(claim("Qx", "P570", year(1900)))
    levels = {"easy": 1, "medium": 0, "hard": 3}
    rules = SeedRules(rules={"pictured": 1}, per_entity=2, levels=levels, ladders=True)
    found = [c for c in seeds(facts, rules) if c.seed.method == "injection"]
    assert sorted((c.seed.index, c.seed.level) for c in found) == [
        (0, "easy"),
        (0, "hard"),
        (1, "easy"),
        (1, "hard"),
    ]
    assert len({c.rank for c in found}) == 2
    paths = [c for c in seeds(facts, rules) if c.seed.method == "paths"]
    assert len(paths) == 2 and len({c.rank for c in paths}) == 2


def test_readable_pictures_are_a_group_of_their_own_where_they_weigh_more():
    plaque = Detail(property="P1684", part="Qplaque", value=Value(kind="string", text="1850"))
    facts = pictured(claim("Qx", "P570", year(1900)), images=[image(details=(plaque,))])
    assert {c.group for c in seeds(facts, SeedRules(rules={"pictured": 1}, readable=4.0))} == {
        "other*"
    }
    assert {c.group for c in seeds(facts)} == {"other"}


def made(
    number: int, group: str = "person", rule: str = "rare", method: str = "paths"
) -> Candidate:
    facts = SmallFacts([claim("Qx", "P31", "Q1")], images={"Qx": (image(),)})
    seed = seeds(facts)[0].seed.replace(entity_id=f"Q{number}", method=method, rule=rule)
    return Candidate(stratum=(method, rule), group=group, rank=f"{number:04}", seed=seed)


def test_quotas_go_by_the_weights_of_methods_and_rules_and_leftovers_to_the_others():
    found = [made(i, rule="rare" if i < 50 else "anchor") for i in range(53)]
    chosen = choose(
        found, SeedRules(count=12, methods={"paths": 1}, rules={"rare": 1, "anchor": 1})
    )
    assert len(chosen) == 12
    assert sum(s.rule == "anchor" for s in chosen) == 3
    even = choose(
        [made(i, rule="rare" if i % 2 else "anchor") for i in range(100)],
        SeedRules(count=12, methods={"paths": 1}, rules={"rare": 3, "anchor": 1}),
    )
    assert sum(s.rule == "rare" for s in even) == 9


def test_domains_stand_in_proportion_to_their_weights():
    found = [made(i, "person" if i < 80 else "location") for i in range(100)]
    even = choose(found, SeedRules(count=20, methods={"paths": 1}, rules={"rare": 1}))
    assert sum(int(s.entity_id[1:]) >= 80 for s in even) == 10
    heavy = choose(
        found, SeedRules(count=20, methods={"paths": 1}, rules={"rare": 1}, domains={"location": 3})
    )
    assert sum(int(s.entity_id[1:]) >= 80 for s in heavy) == 15


def test_a_readable_picture_weighs_as_much_more_as_the_recipe_says():
    found = [made(i, "person" if i < 80 else "person*") for i in range(100)]
    heavy = choose(
        found, SeedRules(count=20, methods={"paths": 1}, rules={"rare": 1}, readable=3.0)
    )
    assert sum(int(s.entity_id[1:]) >= 80 for s in heavy) == 15


def test_the_abilities_of_an_exploration_stand_in_proportion_to_their_weights():
    found = [
        made(
            i,
            f"history/perception{'' if i < 80 else '+search'}/medium",
            method="exploration",
        )
        for i in range(100)
    ]
    heavy = choose(
        found,
        SeedRules(
            count=20,
            methods={"exploration": 1},
            rules={"rare": 1},
            abilities={"perception": 1, "perception+search": 3},
        ),
    )
    assert sum(int(s.entity_id[1:]) >= 80 for s in heavy) == 15


def test_an_entity_that_fits_two_rules_is_drawn_once():
    both = [made(1, rule="anchor"), made(1, rule="rare")]
    seed = both[0].seed
    same = [
        Candidate(stratum=("paths", rule), group="person", rank="1", seed=seed)
        for rule in ("anchor", "rare")
    ]
    assert len(choose(same, SeedRules(count=5, methods={"paths": 1}))) == 1


@pytest.mark.parametrize(
    "without",
    [
        {"domains": {"other": 0}},
        {"rules": {"pictured": 0, "rare": 1}},
        {"methods": {"paths": 0, "injection": 0}},
    ],
)
def test_of_what_has_the_weight_zero_there_is_no_seed(without):
    facts = pictured(claim("Qx", "P570", year(1900)))
    assert seeds(facts) and not seeds(facts, SeedRules(**{"rules": {"pictured": 1}, **without}))
    assert seeds(facts, SeedRules(rules={"pictured": 1}, domains={"person": 0, "other": 0.01}))


def test_a_domain_of_weight_zero_is_told_as_the_obstacle_that_it_is():
    facts = pictured(claim("Qx", "P570", year(1900)))
    assert obstacles(
        [facts.entity("Qx")],
        facts,
        SeedRules(domains={"other": 0}),
        PictureRules(),
        max_answer_words=6,
    ) == {"are of a domain that the recipe leaves out": 1}


def test_a_method_or_level_of_weight_zero_is_not_drawn_even_where_the_others_lack_seeds():
    facts = pictured(claim("Qx", "P570", year(1900)))
    found = seeds(
        facts,
        SeedRules(
            rules={"pictured": 1},
            per_entity=20,
            methods={"paths": 1, "injection": 0},
            levels={"easy": 0, "hard": 1, "medium": 0},
        ),
    )
    assert {c.seed.method for c in found} == {"paths"} and {c.seed.level for c in found} == {"hard"}


def test_a_linked_thing_is_the_only_value_that_a_pictured_one_has_of_a_property_that_leads_on():
    def facts(*claims, images=("Q1",)) -> SmallFacts:
        known = [
            c
            for n in range(60)
            for c in (
                claim(f"Q{100 + n}", "P84", f"Q{200 + n}"),
                claim(f"Q{200 + n}", "P569", year(1700 + n)),
            )
        ]
        return SmallFacts(
            [claim("Q1", "P31", "Q39715"), claim("Qx", "P569", year(1850)), *known, *claims],
            images={e: (image(),) for e in images},
        )

    one = facts(claim("Q1", "P84", "Qx"))
    assert is_linked(Lookups(one, TRUST), one.entity("Qx"), living_people=False, max_answer_words=6)
    for other in (
        facts(claim("Q1", "P84", "Qx"), images=()),
        facts(claim("Q1", "P84", "Qx"), claim("Q1", "P84", "Q8")),
        facts(claim("Q1", "P31", "Qx")),
    ):
        assert not is_linked(
            Lookups(other, TRUST), other.entity("Qx"), living_people=False, max_answer_words=6
        )
    rules = SeedRules(rules={"linked": 1}, methods={"paths": 1, "injection": 1})
    assert [
        c.seed.method
        for c in candidates(
            one.entity("Qx").replace(classes=("Q5x",)),
            Lookups(one, TRUST),
            rules,
            PictureRules(),
            1,
            max_answer_words=6,
        )
    ] == ["injection"]
    assert not is_linked(
        Lookups(one, TRUST), one.entity("Q1"), living_people=False, max_answer_words=6
    )


@pytest.mark.parametrize(
    ("words", "most", "linked"),
    [
        ("Six words are not too many", 6, True),
        ("One that has seven words is not", 6, False),
        ("One that has seven words is not", 7, True),
        ("Two words", 2, True),
        ("Two words", 1, False),
    ],
)
def test_a_linked_thing_has_something_to_ask_for_whose_answer_is_as_short_as_the_recipe_wants(
    words, most, linked
):
    known = [
        c
        for n in range(60)
        for c in (
            claim(f"Q{100 + n}", "P84", f"Q{200 + n}"),
            claim(f"Q{200 + n}", "P19", f"Q{300 + n}"),
        )
    ]
    towns = [claim(town, "P31", "Q515") for town in ("Qt", *(f"Q{300 + n}" for n in range(60)))]
    facts = SmallFacts(
        [
            claim("Q1", "P31", "Q39715"),
            claim("Q1", "P84", "Qx"),
            claim("Qx", "P19", "Qt"),
            *known,
            *towns,
        ],
        {"Qt": Entity(id="Qt", labels={"en": words})},
        images={"Q1": (image(),)},
    )
    assert (
        is_linked(
            Lookups(facts, TRUST), facts.entity("Qx"), living_people=False, max_answer_words=most
        )
        == linked
    )
    rules, thing = (
        SeedRules(rules={"linked": 1}, methods={"injection": 1}),
        facts.entity("Qx").replace(classes=("Q5x",)),
    )
    assert (
        bool(list(candidates(thing, Lookups(facts, TRUST), rules, PictureRules(), 1, most)))
        == linked
    )
    assert obstacles([thing], Lookups(facts, TRUST), rules, PictureRules(), most) == (
        {} if linked else {"fit none of the rules (linked)": 1}
    )


def test_a_path_does_not_start_where_the_only_other_picture_is_a_coat_of_arms():
    withheld = PictureRules(withhold_own=True)
    dead = claim("Qx", "P570", year(1900))
    arms = Claim(
        subject="Qx", property="P94", value=Value(kind="commons_media", text="arms.jpg"), best=True
    )
    pictures = [image(id="town"), image(id="arms")]
    assert not seeds(pictured(dead, arms, images=pictures), pictures=withheld)
    assert seeds(pictured(dead, images=pictures), pictures=withheld)
