"""`docs/` and the READMEs stay short."""

from benchmarks import prose


def test_docs_and_readmes_stay_under_the_limit():
    words = prose.words_now()
    assert {"README.md", "docs/loop.md", "agent/tools/README.md"} <= set(words)
    assert sum(words.values()) <= prose.LIMIT, (
        "cut, or say it once: `python -m benchmarks.prose --before main` shows where words were added"
    )


def test_words_are_counted_outside_fenced_code_and_without_the_bars_of_tables():
    text = "# Two words\n\n| a | – |\n|---|---|\n\n```\nno word counts here\n```\nThree more `words`.\n"
    assert prose.count_words(text) == 6


def test_references_and_prose_elsewhere_are_not_counted():
    assert prose.is_counted("docs/loop.md") and prose.is_counted("agent/tools/README.md")
    assert not prose.is_counted("train/REFERENCE.md") and not prose.is_counted("CHANGELOG.md")
    assert not prose.is_counted("docs/images/notes.md")
