from questloom.knowledge.search import TextSearch
from questloom.knowledge.store import Store
from questloom.knowledge.store.build import build_store
from questloom.records.knowledge import Article, Section


def article(number: int, *texts: str) -> Article:
    return Article(
        wiki="enwiki",
        title=f"Page {number}",
        page_id=number,
        revision=1,
        entity_id=f"Q{number}",
        sections=tuple(Section(title="", level=1, text=t) for t in texts),
    )


def opened(path, articles) -> TextSearch:
    build_store(str(path), articles=articles)
    return TextSearch(Store.open(str(path)))


def test_the_passage_that_holds_the_words_comes_first_with_its_text(tmp_path):
    search = opened(
        tmp_path,
        [
            article(1, "The lantern broke in a storm."),
            article(2, "Herring is caught here."),
            article(3, "Storms are rare."),
        ],
    )
    hits = search.search("Which storm broke the lantern?", 2)
    assert [h.passage.entity_id for h in hits] == ["Q1", "Q3"]
    assert (
        hits[0].passage.text == "The lantern broke in a storm."
        and hits[0].score > hits[1].score > 0
    )


def test_titles_are_searched_too_and_odd_queries_find_nothing(tmp_path):
    search = opened(tmp_path, [article(1, "The lantern broke."), article(22, "Herring.")])
    assert search.search("page 22", 1)[0].passage.entity_id == "Q22"
    for query in ("", "  ?! ", '"', "zebra", "a AND (", "text:*"):
        assert search.search(query, 3) == []


def test_equal_scores_are_ordered_by_passage_id_and_do_not_depend_on_the_order_of_articles(
    tmp_path,
):
    articles = [article(n, "the same words in every passage") for n in range(300)]
    lists = [
        [(h.passage.id, h.score) for h in opened(tmp_path / name, order).search("same words", 10)]
        for name, order in (("a", articles), ("b", articles[::-1]))
    ]
    assert lists[0] == lists[1] == sorted(lists[0])


def test_a_store_without_articles_answers_with_nothing(tmp_path):
    assert opened(tmp_path, []).search("word", 5) == []
