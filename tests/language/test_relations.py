"""The table of relations: what is malformed is refused by name, and every hole is listed."""

from pathlib import Path

import pytest

from questloom.language.relations import (
    FILE,
    PropertyUse,
    parse_relations,
    relation,
    relation_table,
)
from questloom.records.errors import InputError

HOLES = Path(__file__).with_name("relation_holes.tsv")


def table(entry: str) -> str:
    return f"telling_words: [born]\nrelations:\n  P84: {entry}\n"


def test_a_relation_has_its_four_parts():
    architect = relation("P84")
    assert architect.use.hop and architect.say and architect.read and architect.hints
    assert architect.say.say[0].statement("Ada", "the bridge") == "Ada designed the bridge"
    assert "architect" in architect.read.subject and architect.hints.keys[0] == "architect"
    assert architect.hints.object_is == "person"


def test_a_relation_that_is_not_listed_may_do_nothing_and_has_no_words():
    unknown = relation("P98765")
    assert unknown.use == PropertyUse()
    assert unknown.say is unknown.read is unknown.hints is None


def test_words_alone_say_a_use():
    found = {
        word: parse_relations(table(f"{{use: {word}}}"), "t").relations["P84"].use
        for word in ("never", "volatile", "trivial")
    }
    assert found["never"] == PropertyUse()
    assert found["volatile"] == PropertyUse(volatile=True)
    assert found["trivial"] == PropertyUse(clue=True, weight=0.1)


@pytest.mark.parametrize(
    ("entry", "where", "what"),
    [
        ("{usage: {hop: true}}", "P84", "'usage' is unknown"),
        ("{use: {hop: yes please}}", "P84, use", "hop is 'yes please'"),
        ("{use: {weight: true}}", "P84, use", "weight is True"),
        ("{use: often}", "P84, use", "no mapping"),
        ("{say: ['{o} of nothing']}", "P84, say", "no plain sentence"),
        ("{say: {o: architect}}", "P84, say", "no 'sentences'"),
        ("{say: {sentences: ['{o} drew {s}'], os: [x]}}", "P84, say", "'os' is unknown"),
        ("{read: ['draw(']}", "P84, read", "'draw(' is no expression"),
        ("{read: {object: [draw]}}", "P84, read", "no 'subject'"),
        ("{hints: {object_is: animal}}", "P84, hints", "person, place, noun"),
        ("{hints: {keys: architect}}", "P84, hints", "no list of texts"),
        ("[]", "P84", "no mapping"),
        ("{use: never}\n  P84: {use: trivial}", "t", "'P84' stands twice"),
        ("{use: never}\n  architect: {use: trivial}", "architect", "no property id"),
        ("{use: [", "t", "no YAML"),
    ],
)
def test_a_malformed_table_is_refused_by_property_and_key(entry, where, what):
    with pytest.raises(InputError) as error:
        parse_relations(table(entry), "t")
    assert where in error.value.where and what in str(error.value)


def test_a_table_without_relations_is_refused():
    with pytest.raises(InputError, match="'relations'"):
        parse_relations("telling_words: [born]", "t")


def test_the_shipped_table_is_read_once():
    assert relation_table() is relation_table() and relation_table().relations.keys() >= {"P84"}
    assert FILE.is_file()


def test_every_hole_of_a_usable_relation_is_listed():
    """A relation that a question may use and that lacks a part stands in `relation_holes.tsv`; one that is filled leaves it."""
    holes = {
        (pid, part)
        for pid, known in relation_table().relations.items()
        if known.use.hop or known.use.clue or known.use.answer
        for part in ("say", "read")
        if getattr(known, part) is None
    }
    listed = {
        (cells[0], cells[1])
        for line in HOLES.read_text(encoding="utf-8").splitlines()[1:]
        if (cells := line.split("\t"))
    }
    assert holes - listed == set(), "new holes: write the part, or list them"
    assert listed - holes == set(), "filled holes: strike their lines"
