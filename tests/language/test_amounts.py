"""Numbers in words and digits are read as what they are."""

from hypothesis import given
from hypothesis import strategies as st
from num2words import num2words

from questloom.language.amounts import amounts, readable


@given(st.integers(min_value=0, max_value=10**9))
def test_every_number_is_read_from_its_english_words(number):
    assert [a.number for a in amounts(readable(num2words(number)))] == [number]
