"""Names in texts, as they are written."""

import pytest

from questloom.language.names_in_text import stands_in


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Mersk", True),
        ("Ivo Mersk's mill", True),
        ("Merskby, of which Mersk was lord", True),
        ("Merskby", False),
        ("Obermersk and oMersk", False),
        ("Mersk_2", False),
        ("Merské", False),
        ("mersk", False),
        ("", False),
    ],
)
def test_a_name_stands_in_a_text_as_whole_words_as_it_is_written(text, found):
    assert stands_in("Mersk", text) is found


def test_a_name_with_signs_at_its_ends_stands_beside_letters_of_none():
    assert stands_in("(2nd) Mill", "the (2nd) Mill") and not stands_in("(2nd) Mill", "a(2nd) Mill")
