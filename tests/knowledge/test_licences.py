import pytest

from questloom.knowledge.licences import ALLOWED, licence_family, may_be_given_on
from questloom.records.knowledge import ImageAsset


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("CC BY-SA 4.0", "CC BY-SA"),
        ("CC-BY-SA-3.0", "CC BY-SA"),
        ("Cc-by-sa-3.0-migrated", "CC BY-SA"),
        ("CC BY-SA 3.0 de", "CC BY-SA"),
        ("cc-by-sa-2.5,2.0,1.0", "CC BY-SA"),
        ("CC BY 2.0", "CC BY"),
        ("cc by 3.0 us", "CC BY"),
        ("CC-BY-4.0", "CC BY"),
        ("Attribution-ShareAlike 4.0 International", "CC BY-SA"),
        ("Creative Commons Attribution-Share Alike 3.0", "CC BY-SA"),
        ("Creative Commons Attribution 4.0", "CC BY"),
        ("CC0", "CC0"),
        ("CC0 1.0", "CC0"),
        ("cc-zero", "CC0"),
        ("Public domain", "PD"),
        ("PD", "PD"),
        ("PD-old-100", "PD"),
        ("pd-us", "PD"),
        ("PDM 1.0", "PD"),
        ("CC BY-NC 2.0", "CC BY-NC"),
        ("CC BY-NC-SA 4.0", "CC BY-NC-SA"),
        ("CC BY-ND 3.0", "CC BY-ND"),
        ("cc-by-nc-nd-2.5", "CC BY-NC-ND"),
        ("GFDL", ""),
        ("GFDL 1.2", ""),
        ("Fair use", ""),
        ("Copyrighted free use", ""),
        ("Attribution", ""),
        ("No restrictions", ""),
        ("FAL", ""),
        ("", ""),
        ("not public domain", ""),
        ("CC", ""),
        ("pdf", ""),
    ],
)
def test_every_spelling_of_commons_falls_into_its_family_and_no_other(name, family):
    assert licence_family(name) == family
    assert (licence_family(name) in ALLOWED) == (family in ("CC0", "PD", "CC BY", "CC BY-SA"))


@pytest.mark.parametrize(
    ("licence", "repository", "given_on"),
    [
        ("CC BY-SA 4.0", "shared", True),
        ("CC BY-SA 4.0", "local", False),
        ("Fair use", "shared", False),
        ("CC BY-NC 4.0", "shared", False),
        ("", "shared", False),
    ],
)
def test_a_data_set_holds_pictures_of_allowed_families_from_commons_only(
    licence, repository, given_on
):
    image = ImageAsset(
        id="0" * 64,
        file="A.jpg",
        mime="image/jpeg",
        width=9,
        height=9,
        num_bytes=9,
        licence=licence,
        repository=repository,
    )
    assert may_be_given_on(image, ALLOWED) is given_on and not may_be_given_on(image, ())
