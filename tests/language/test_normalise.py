"""Names as keys, whatever their script."""

from hypothesis import given
from hypothesis import strategies as st

from questloom.language.normalise import clean, name_key, same_name


@given(st.text(max_size=60))
def test_a_name_matches_itself_and_cleaning_twice_changes_nothing(name):
    assert clean(clean(name)) == clean(name)
    assert same_name(name, name) == bool(clean(name))
    assert name_key(name) == name_key(clean(name))
