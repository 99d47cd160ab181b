import pytest
from hypothesis import given
from hypothesis import strategies as st

from questloom.knowledge.store.codec import pack, unpack
from questloom.records.knowledge import Claim, Detail, Entity, ImageAsset, Passage, Qualifier, Value

text = st.text(st.characters(codec="utf-8"), max_size=20)
numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False)
values = st.builds(Value, kind=st.sampled_from(["string", "quantity"]), text=text, number=numbers)
claims = st.builds(
    Claim,
    subject=text,
    property=text,
    value=values,
    best=st.booleans(),
    revision=st.integers(0, 2**60),
    qualifiers=st.lists(st.builds(Qualifier, property=text, value=values), max_size=3).map(tuple),
)
entities = st.builds(
    Entity,
    id=text,
    labels=st.dictionaries(text, text),
    classes=st.lists(text).map(tuple),
    aliases=st.dictionaries(text, st.lists(text, max_size=3).map(tuple), max_size=3),
)


@given(st.one_of(claims, entities))
def test_what_is_packed_comes_back_equal(record):
    assert unpack(type(record), pack(record)) == record


def test_equal_records_have_equal_bytes_whatever_the_order_of_a_dict():
    assert pack(Entity(id="Q1", labels={"en": "a", "de": "b"})) == pack(
        Entity(id="Q1", labels={"de": "b", "en": "a"})
    )


def test_what_a_record_keeps_for_itself_is_not_packed():
    value = Value(kind="time", time="+1832-05-04T00:00:00Z", precision=11)
    claim = Claim(subject="Q1", property="P571", value=value)
    before = pack(claim)
    assert (claim.id, value.key()) == (claim.id, value.key())
    assert pack(claim) == before and unpack(Claim, before) == claim
    assert hash(unpack(Claim, before)) == hash(claim)


def test_nested_records_and_json_fields_come_back():
    image = ImageAsset(
        id="x",
        file="f",
        mime="m",
        width=1,
        height=1,
        num_bytes=1,
        details=(
            Detail(
                property="P1684", value=Value(kind="string", text="1850"), box=(1.0, 2.0, 3.0, 4.5)
            ),
        ),
    )
    assert unpack(ImageAsset, pack(image)) == image
    passage = Passage(
        id="p",
        article_id="a",
        entity_id="Q1",
        title="T",
        section=0,
        text="t",
        extra={"k": [1, None]},
    )
    assert unpack(Passage, pack(passage)) == passage


def test_bytes_that_lack_a_needed_field_are_refused():
    with pytest.raises(ValueError, match="no Entity"):
        unpack(Entity, b"{}")
