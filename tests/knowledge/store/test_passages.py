from hypothesis import given
from hypothesis import strategies as st

from questloom.knowledge.store.passages import MAX_WORDS, passages_of, pieces
from questloom.records.knowledge import Article, Section


@given(st.text(alphabet="ab .\n", max_size=3000))
def test_every_word_is_in_exactly_one_piece_and_no_piece_is_too_long(text):
    found = list(pieces(text))
    assert [w for start, stop in found for w in text[start:stop].split()] == text.split()
    assert all(len(text[start:stop].split()) <= MAX_WORDS for start, stop in found)


def test_a_long_text_is_cut_behind_a_paragraph_before_a_sentence():
    sentence = "one two three four five six seven eight nine ten. "
    text = sentence * 9 + "\n" + sentence * 5
    (_, stop), *_ = pieces(text)
    assert stop == len((sentence * 9).rstrip())
    (_, stop), *_ = pieces(sentence * 3 + "word " * 100 + sentence * 20)
    assert (sentence * 3 + "word " * 100 + sentence * 20)[:stop].endswith(("ten.", "word"))


def test_passages_are_verbatim_pieces_of_their_section_with_ids_of_their_own():
    article = Article(
        wiki="enwiki",
        title="T",
        page_id=1,
        revision=1,
        entity_id="Q1",
        sections=(
            Section(title="", level=1, text="Lead here."),
            Section(title="S", level=2, text=" word" * 300),
        ),
    )
    found = list(passages_of(article))
    assert len({p.id for p in found}) == len(found) == 4
    assert all(
        article.sections[p.section].text[p.start : p.start + len(p.text)] == p.text for p in found
    )
