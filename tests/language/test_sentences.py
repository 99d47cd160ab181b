"""Where sentences end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questloom.language.sentences import links_in_sentences, sentence_ends, sentence_spans


@pytest.mark.parametrize(
    "sentences",
    [
        ["It rained.", "He left."],
        ["J. R. R. Tolkien wrote it.", "It sold well."],
        ["Mr. Smith met Dr. Who in St. Louis.", "They spoke."],
        ["He was born c. 347 BC in Stagira.", "His father died."],
        ["The U.S. Army came.", "It stayed."],
        ["It cost 3.5 million.", "Too much!", "Why?"],
        ["He said “Go.”", "She went."],
        ["After World War I.", "The city grew."],
        ["I. M. Pei built it.", "It stands."],
        ["See e.g. the tower, i.e. the big one.", "End."],
        ["东京是日本首都。", "它很大。"],
        ["यह एक वाक्य है।", " और एक।".strip()],
        ["He works at No. 10.", "Always."],
        ["It ended (in 1990).", "Then peace came."],
        ["Sie wurde am 3. Mai 1850 in Tolm geboren.", "Sie starb im 19. Jahrhundert."],
        ["Der 2. Weltkrieg begann.", "Er war 42.", "Er wohnte im 1. Bezirk."],
        ["Er starb 44 v. Chr. in Rom.", "Der Rest fehlt."],
        ["He was 42.", "Then he left."],
    ],
)
def test_sentences_are_split_as_a_reader_would(sentences):
    text = " ".join(sentences)
    assert [text[a:b] for a, b in sentence_spans(text)] == sentences


def test_a_paragraph_ends_a_sentence_and_small_letters_go_on():
    text = "A list\nof two things. and more"
    assert [text[a:b] for a, b in sentence_spans(text)] == ["A list", "of two things. and more"]


@given(st.text(alphabet="aB.!? \n。\"')c1", max_size=80))
def test_ends_ascend_and_the_last_is_the_end_of_the_text(text):
    ends = sentence_ends(text)
    assert ends == sorted(set(ends))
    assert ends[-1] == len(text)


def test_links_know_their_sentence_and_no_sentence_ends_within_an_anchor():
    text = "It was bought by Yahoo! Inc in May. Then by Bob."
    (first, second) = links_in_sentences(text, [("Yahoo", "Yahoo! Inc", 17), ("Bob", "Bob", 44)], 3)
    assert text[first.sentence_start : first.sentence_end] == "It was bought by Yahoo! Inc in May."
    assert (text[second.sentence_start : second.sentence_end], second.section) == (
        "Then by Bob.",
        3,
    )
