import json
import pickle

import pytest

from questloom.knowledge.store import Store
from questloom.knowledge.store.build import build_store
from questloom.knowledge.store.layout import STORE_VERSION
from questloom.knowledge.store.store import FEW_INBOUND
from questloom.records.errors import InputError
from questloom.records.knowledge import Claim, Entity, Value, value_of_key


def test_claims_come_sorted_with_every_rank_and_their_qualifiers(store, everything):
    found = store.claims("Q900001")
    assert [(c.property, c.value.key()) for c in found] == [
        ("P137", "novalue"),
        ("P2048", "quantity:31.5:Q11573"),
        ("P571", "time:+1850/9"),
        ("P84", "Q900010"),
    ]
    assert set(found) == {c for c in everything["claims"] if c.subject == "Q900001"}
    assert found[2].qualifiers[0].property == "P1480"
    assert store.claims("Q1") == ()


def test_subjects_are_those_of_best_claims_only(store):
    assert store.subjects("P84", "Q900010") == ("Q900001", "Q900002")
    assert store.subjects("P571", "time:+1850/9", limit=1) == ("Q900001",)
    assert store.num_subjects("P571", "time:+1850/9") == 2
    assert store.subjects("P84", "Q9") == () and store.num_subjects("P8", "Q900010") == 0


def test_the_keys_of_a_propertys_best_values_come_with_their_subjects(store):
    assert list(store.subjects_by_value("P84")) == [("Q900010", ["Q900001", "Q900002"])]
    dates = dict(store.subjects_by_value("P571"))
    assert dates["time:+1850/9"] and list(dates) == sorted(dates)
    assert not list(store.subjects_by_value("P8")), "the values of P84 are not those of P8"


def test_a_date_finds_the_subjects_of_every_date_that_may_be_the_same(tmp_path):
    days = {
        "Q1": "+1850/9",
        "Q2": "+1850-05-04/11",
        "Q3": "+1850-06/10",
        "Q4": "+185/8",
        "Q5": "+18/7",
        "Q6": "+1851/9",
        "Q7": "+1849-12-31/11",
        "Q8": "-1850/9",
    }
    claims = [
        Claim(subject=s, property="P571", value=value_of_key(f"time:{d}")) for s, d in days.items()
    ]
    claims += [Claim(subject="Q9", property="P576", value=value_of_key("time:+1850-01-01/11"))]
    build_store(str(tmp_path), entities=[Entity(id=c.subject) for c in claims], claims=claims)
    found = Store.open(str(tmp_path))
    assert (
        found.subjects("P571", "time:+1850/9") == ("Q1", "Q2", "Q3", "Q4", "Q5")
        and found.num_subjects("P571", "time:+1850/9") == 5
    )
    assert found.subjects("P571", "time:+1850-05-04/11") == ("Q1", "Q2", "Q4", "Q5")
    assert (
        found.subjects("P571", "time:+185/8", limit=2) == ("Q1", "Q2")
        and found.num_subjects("P571", "time:+1900/9") == 1
    )
    assert (
        found.subjects("P571", "time:+18/7") == ("Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7")
        and found.num_subjects("P571", "time:+18/7") == 7
    )
    assert found.num_subjects("P571", "time:+1800/9") == 0, "the last year of the 18th century"


def test_a_julian_day_is_found_by_its_gregorian_day_and_by_the_year_of_either_calendar(tmp_path):
    newton = Value(kind="time", time="+1642-12-25T00:00:00Z", precision=11, unit="Q1985786")
    build_store(
        str(tmp_path),
        entities=[Entity(id="Q935")],
        claims=[Claim(subject="Q935", property="P569", value=newton)],
    )
    found = Store.open(str(tmp_path))
    counted = {
        key: found.num_subjects("P569", f"time:{key}")
        for key in (
            "+1643-01-04/11",
            "+1642-12-25/11",
            "+1642/9",
            "+1643/9",
            "+1642-12/10",
            "+1644/9",
        )
    }
    assert counted == {
        "+1643-01-04/11": 1,
        "+1642-12-25/11": 0,
        "+1642/9": 1,
        "+1643/9": 1,
        "+1642-12/10": 1,
        "+1644/9": 0,
    }
    assert (
        found.subjects("P569", "time:+16/7") == ("Q935",)
        and found.claims("Q935")[0].value == newton
    )
    assert found.profile("P569").num_pairs == 1


def test_claims_into_an_entity_name_its_subjects(store):
    assert [c.subject for c in store.claims_into("Q900010")] == ["Q900001", "Q900002"]
    assert [c.source for c in store.claims_into("Q900020")] == ["infobox"]


def test_few_claims_into_an_entity_are_kept_and_no_more_than_asked(store):
    kept = store.claims_into("Q900010", limit=2)
    assert store.claims_into("Q900010", limit=2) is kept
    assert [c.subject for c in store.claims_into("Q900010", limit=1)] == ["Q900001"]
    many = store.claims_into("Q900010", limit=FEW_INBOUND + 1)
    assert many == kept and store.claims_into("Q900010", limit=FEW_INBOUND + 1) is not many


def test_members_follow_the_class_closure(store):
    assert store.members("Q41176") == ("Q900001", "Q900002", "Q900003")
    assert store.num_members("Q39715") == 3 and store.num_members("Q1") == 0


def test_an_entity_is_found_by_its_id_and_by_an_id_merged_into_it(store, everything):
    assert store.entities(["Q900001", "Q900010", "Q1"]).keys() == {"Q900001", "Q900010"}
    assert store.entity("Q800001") == store.entity("Q900001") == everything["entities"][1]
    assert store.entity("Q1") is None
    assert store.label("Q900001", "de") == "Lampe 1" and store.label("Q1") == "Q1"


def test_articles_are_found_by_entity_and_by_title_or_redirect(store, everything):
    assert store.article("Q900001") == everything["articles"][0]
    assert store.entity_of_title("Old lamp") == store.entity_of_title("Lamp 1") == "Q900001"
    assert store.entity_of_title("Nowhere") is None and store.article("Q900010") is None


def test_pictures_keep_their_bytes_and_their_entities(store, everything):
    both = store.images_of("Q900001")
    assert store.is_pictured("Q900001") and not store.is_pictured("Q900010")
    assert {i.file for i in both} == {"Lamp 1.png", "Town.png"} and [i.id for i in both] == sorted(
        i.id for i in both
    )
    for image, data in everything["images"]:
        assert store.image(image.id) == image and store.image_bytes(image.id) == data
    with pytest.raises(KeyError):
        store.image_bytes("0" * 64)


def test_profiles_count_subjects_pairs_and_values_by_class(store):
    inception = store.profile("P571", "Q39715")
    assert (
        inception.num_instances,
        inception.num_subjects,
        inception.num_pairs,
        inception.num_values,
    ) == (3, 3, 4, 3)
    assert store.profile("P137", "Q39715").num_subjects == 0, "a novalue is no pair"
    assert store.profile("P84").num_instances == 5 and store.profile("P84").num_values == 1
    assert store.property("P84").labels["en"] == "architect" and store.property("P1") is None


def test_scans_give_every_row_once_in_order_and_can_be_cut_into_ranges(store):
    ids = [e.id for e in store.scan_entities()]
    assert ids == sorted(ids) and len(ids) == store.num_rows("entities") == 5
    assert [e.id for cut in ((0, 2), (2, 9)) for e in store.scan_entities(*cut)] == ids


def test_a_store_pickles_as_its_path(store):
    assert pickle.loads(pickle.dumps(store)).meta == store.meta


def test_look_ups_are_right_across_page_borders(tmp_path):
    entities = [Entity(id=f"Q{n:05d}", class_closure=("Q1",)) for n in range(1500)]
    claims = [
        Claim(subject=f"Q{n:05d}", property="P1", value=Value(kind="string", text=str(n % 2)))
        for n in range(1500)
    ]
    build_store(str(tmp_path), entities=entities, claims=claims)
    store = Store.open(str(tmp_path))
    assert store.members("Q1") == tuple(e.id for e in entities) and store.num_members("Q1") == 1500
    assert store.subjects("P1", "string::1") == tuple(f"Q{n:05d}" for n in range(1, 1500, 2))
    assert all(
        store.entity(e.id) == e and store.claims(e.id)[0].value.text == str(int(e.id[1:]) % 2)
        for e in entities
    )


def test_the_digest_is_that_of_the_content_not_of_the_order(tmp_path, store, everything):
    build_store(str(tmp_path), **{k: v[::-1] for k, v in everything.items()}, snapshot="2026-11-01")
    again = Store.open(str(tmp_path)).meta
    assert again["tables"] == store.meta["tables"] and again["digest"] == store.meta["digest"]
    build_store(str(tmp_path), **{**everything, "claims": everything["claims"][1:]})
    assert (
        Store.open(str(tmp_path)).meta["tables"]["claims"]["digest"]
        != store.meta["tables"]["claims"]["digest"]
    )


def test_a_missing_a_half_built_and_another_versions_store_are_told_apart(tmp_path, everything):
    with pytest.raises(InputError, match="no store is there"):
        Store.open(str(tmp_path / "nothing"))
    path = tmp_path / "store"
    build_store(str(path), **everything)
    meta = (path / "meta.json").read_text()
    for version in (STORE_VERSION - 1, STORE_VERSION + 1):
        (path / "meta.json").write_text(json.dumps({**json.loads(meta), "version": version}))
        with pytest.raises(InputError, match=f"version {version}"):
            Store.open(str(path))
    (path / "meta.json").write_text(meta[:50])
    with pytest.raises(InputError, match=r"meta\.json"):
        Store.open(str(path))
    (path / "meta.json").unlink()
    with pytest.raises(InputError, match="half-built"):
        Store.open(str(path))
