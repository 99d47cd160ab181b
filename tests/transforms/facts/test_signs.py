"""Which pictures are a sign of a thing, and how a question says so."""

import pytest

from questloom.records.form import Ask, ClaimClause, Form, Image
from questloom.records.knowledge import Claim, Entity, ImageAsset, Value
from questloom.transforms.facts.signs import SIGNS, pictures_meant, sign_of, sign_shown, with_sign
from tests.small_facts import SmallFacts

PERU, LIMA = "Q419", "Q2868"
FORM = Form(
    clauses=(Image(var="x0"), ClaimClause(subject="x0", property="P36", object="a")),
    ask=Ask(var="a", type="entity"),
)


def picture(file: str) -> ImageAsset:
    return ImageAsset(id=file, file=file, mime="image/png", width=9, height=6, num_bytes=9)


def facts(*files: str, claims: tuple[Claim, ...] = ()) -> SmallFacts:
    names = {PERU: Entity(id=PERU, labels={"en": "Peru"}, aliases={"en": ("Republic of Peru",)})}
    return SmallFacts(list(claims), names, images={PERU: tuple(map(picture, files))})


def file_claim(property: str, file: str, rank: str = "normal") -> Claim:
    value = Value(kind="commons_media", text=file)
    return Claim(subject=PERU, property=property, value=value, rank=rank, best=rank != "deprecated")


@pytest.mark.parametrize(
    ("file", "sign"),
    [
        ("Flag_of_Peru.png", "P41"),
        ("Flag of the Republic of Peru (state).svg", "P41"),
        ("Coat of arms of Peru.png", "P94"),
        ("Logo of Peru.png", "P154"),
        ("Flag of Peruvians.png", ""),
        ("Flag of Chile.png", ""),
        ("Old Flag of Peru on a ship.jpg", ""),
        ("Peru from space.jpg", ""),
    ],
)
def test_a_picture_called_after_its_thing_as_its_flag_is_its_flag(file, sign):
    assert sign_of(facts(), PERU, picture(file)) == sign


def test_a_claim_of_the_thing_names_its_sign_whatever_the_file_is_called():
    claimed = facts(claims=(file_claim("P94", "Escudo_nacional.svg"),))
    assert sign_of(claimed, PERU, picture("Escudo nacional.png")) == "P94"
    outdated = facts(claims=(file_claim("P94", "Escudo_nacional.svg", "deprecated"),))
    assert sign_of(outdated, PERU, picture("Escudo nacional.png")) == ""
    other = facts(claims=(file_claim("P18", "Escudo_nacional.svg"),))
    assert sign_of(other, PERU, picture("Escudo nacional.png")) == ""


def test_a_thing_is_shown_by_a_sign_where_no_picture_shows_itself():
    flag, arms = "Flag of Peru.png", "Coat of arms of Peru.png"
    assert sign_shown(facts(flag), PERU) == "P41"
    assert sign_shown(facts(arms, flag), PERU) == "P41"
    assert sign_shown(facts(flag, "Peru from space.jpg"), PERU) == ""
    assert sign_shown(facts(), PERU) == ""


def test_a_form_says_its_sign_and_keeps_it_as_json():
    signed = with_sign(FORM, facts("Flag of Peru.png"), PERU)
    assert signed.clauses[0] == Image(var="x0", sign="P41") and signed.sign == "P41"
    assert Form.from_json(signed.to_json()) == signed
    view = with_sign(FORM, facts("Peru from space.jpg"), PERU)
    assert view is FORM and FORM.sign == "" and "sign" not in FORM.to_json()["clauses"][0]
    assert set(SIGNS) == {"P41", "P94", "P154"}


def test_a_sign_is_no_other_view_of_a_thing_that_some_picture_shows_itself():
    arms, one, two = "Coat of arms of Peru.png", "Peru from space.jpg", "Peru by night.jpg"
    meant = [i.file for i in pictures_meant(facts(arms, one, two), PERU)]
    assert meant == [one, two]
    assert [i.file for i in pictures_meant(facts(arms), PERU)] == [arms]
