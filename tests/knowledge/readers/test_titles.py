"""Titles in one form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questloom.knowledge.readers.titles import (
    Site,
    link_resolver,
    normalise_title,
    split_namespace,
    title_reason,
)
from questloom.records.outcomes import Reason

SITE = Site(namespaces=(("datei", 6), ("kategorie", 14), ("benutzer", 2)))


@pytest.mark.parametrize(
    ("raw", "title"),
    [
        ("eiffel_tower", "Eiffel tower"),
        ("  Eiffel   Tower_ ", "Eiffel Tower"),
        ("Paris#History", "Paris"),
        (":Paris", "Paris"),
        ("#History", ""),
        ("Caf\u0065\u0301", "Café"),
        ("ßa", "ßa"),
        ("\u200eParis\u200f", "Paris"),
        ("a" * 256, ""),
        ("a[b", ""),
        ("", ""),
        ("élan", "Élan"),
        ("ǆ", "Ǆ"),
    ],
)
def test_titles_take_one_form(raw, title):
    assert normalise_title(raw) == title


def test_a_wiki_with_small_first_letters_keeps_them():
    assert normalise_title("iPod", first_letter=False) == "iPod"


@given(st.text(max_size=60))
def test_normalising_twice_changes_nothing(raw):
    title = normalise_title(raw)
    assert normalise_title(title) == title


@given(st.text(max_size=80))
def test_any_target_is_resolved_without_an_error_to_a_normalised_title(raw):
    title = link_resolver(SITE)(raw)
    assert title == "" or normalise_title(title) == title


@pytest.mark.parametrize(
    ("target", "title"),
    [
        ("dog", "Dog"),
        ("Dog#Breeds", "Dog"),
        ("File:Dog.jpg", ""),
        ("datei:Hund.jpg", ""),
        (":Category:Dogs", ""),
        ("fr:Chien", ""),
        ("wikt:dog", ""),
        (":fr:Chien", ""),
        ("Star Trek: Voyager", "Star Trek: Voyager"),
        ("Dog%20show", "Dog show"),
        ("AT&amp;T", "AT&T"),
        ("OS&nbsp;X", "OS X"),
        ("wikipedia:Manual", ""),
        ("zh-min-nan:Káu", ""),
        ("#Top", ""),
    ],
)
def test_only_links_to_articles_have_a_target(target, title):
    assert link_resolver(SITE)(target) == title


def test_prefixes_name_namespaces_and_other_wikis():
    assert split_namespace("Kategorie:Hunde", SITE) == (14, "Hunde")
    assert split_namespace("de:Hund", SITE) == (None, "Hund")
    assert split_namespace("Mission: Impossible", SITE) == (0, "Mission: Impossible")


@pytest.mark.parametrize(
    ("title", "reason"),
    [
        ("Mercury (disambiguation)", Reason.DISAMBIGUATION),
        ("List of towers", Reason.LIST_PAGE),
        ("Outline of France", Reason.LIST_PAGE),
        ("Index of birds", Reason.LIST_PAGE),
        ("Timeline of art", Reason.LIST_PAGE),
        ("Listeria", None),
        ("Lamp", None),
        ("法国城市列表", Reason.LIST_PAGE),
    ],
)
def test_a_title_alone_shows_lists_and_disambiguations(title, reason):
    assert title_reason(title) == reason
