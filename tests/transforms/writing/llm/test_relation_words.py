"""Which words tell a relation that something must support."""
import pytest

from transforms.writing.llm.relation_words import telling_words


@pytest.mark.parametrize(("text", "words"), [
    ("How many years after the year of his own birth did he found it?", ("birth", "found")),
    ("Which of its own rooms is it?", ()),
    ("Which family may own the house in the picture?", ("own",)),
    ("Who was his owner?", ("owner",)),
    ("Which house did the sisters own?", ("sisters", "own")),
    ("Under whose ownership was it, who owned it, and who owns it?", ("ownership", "owned", "owns")),
])
def test_own_tells_a_relation_where_it_is_a_verb_and_not_behind_a_possessive(text, words):
    assert telling_words(text) == words
