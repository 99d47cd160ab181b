"""Questions about what is seen on the picture, and about two things compared.

read          "Which year is written on the plaque of this bridge?"
years to      "How many years before 1900 is the year on the plaque of this bridge?"
ages          "How many years older than the architect of this bridge was his teacher?"
difference    "What is the difference in height between this tower and the one designed by its architect, in metres?"
ratio         "How many times as long as this bridge is …?"
one of two    "Of this bridge and …, in which town does the longer one stand?"
"""

from collections.abc import Callable

from questloom.records.form import Compute, Reads
from questloom.records.knowledge import Value
from questloom.transforms.writing.graph.form_words import FormWords
from questloom.transforms.writing.graph.noun_phrases import HOPELESS, NounPhrases

BIRTH, DEATH = "P569", "P570"
CHOOSES = ("earliest", "latest", "largest", "smallest")


def phrase_picture_question(phrases: NounPhrases, reads: Reads) -> str:
    """What is written, counted or coloured on the picture."""
    words = phrases.form_words
    table = words.data["seen"].get(reads.property)
    if table is None:
        phrases.cost += HOPELESS
        return "what is to be seen?"
    part = words.class_noun(reads.part) if reads.part else ""
    year = "year" if words.form.ask.type == "date" else "text"
    where = (
        "_picture"
        if in_picture(phrases, reads, part)
        else ""
        if part and part not in words.data["parts_written"]
        else "_whole"
    )
    template = phrases.choose(table.get(f"{year}{where}") or table["any"])
    if "{s}" not in template:
        phrases.anchor_phrase = "the picture"
        return template
    return (
        template.replace("{ps}", words.words.plural(part))
        .replace("{p}", part)
        .replace("{s}", phrases.noun_phrase(reads.of))
    )


def in_picture(phrases: NounPhrases, reads: Reads, part: str) -> bool:
    """Whether writing stands in the picture rather than on the thing: nothing is written on a person or a plant."""
    words = phrases.form_words
    return (not part or part in words.data["parts_written"]) and words.kinds(reads.of)[:1] in (
        ("person",),
        ("taxon",),
        (),
    )


def years_to(phrases: NounPhrases, compute: Compute) -> str:
    """The years from the one on the picture to one that the question names."""
    words = phrases.form_words
    named = next(a for a in compute.args if isinstance(a, Value))
    reads = words.reads[next(a for a in compute.args if isinstance(a, str))]
    table = words.data["readings"][reads.property]
    part = words.class_noun(reads.part) if reads.part else ""
    if in_picture(phrases, reads, part):
        phrases.anchor_phrase = "the picture"
        date = phrases.choose(table["picture"])
    else:
        whole = not part or part in words.data["parts_written"]
        date = (
            phrases.choose(table["whole" if whole else "part"])
            .replace("{p}", part)
            .replace("{s}", phrases.noun_phrase(reads.of))
        )
    later = words.years.get(reads.var, 0) > (named.year or 0)
    return f"how many years {'after' if later else 'before'} {words.words.date(named)} is {date}?"


def _two(phrases: NounPhrases, compute: Compute) -> tuple[str, str]:
    """The two things compared, the one nearer to the picture first; of two of one kind the second is "the one …"."""
    words = phrases.form_words
    ends = [
        words.definition(a)[1].subject if compute.op not in CHOOSES else a for a in compute.args
    ]
    phrases.used.update(words.definition(k)[0] for k in (compute.keys or compute.args))
    near = sorted(
        (e for e in ends if isinstance(e, str)), key=lambda e: words.ranks[e], reverse=True
    )
    one, other = (phrases.noun_phrase(e) for e in near)
    noun = words.noun(near[0])
    return (
        one,
        f"the one {other.removeprefix(f'the {noun} ')}"
        if f" {noun} " in f" {one} " and other.startswith(f"the {noun} ")
        else other,
    )


def of_ages(words: FormWords, compute: Compute) -> bool:
    """Whether the births of two people are compared, or their deaths."""
    claims = [words.definition(a)[1] for a in compute.args if a not in words.reads]
    return (
        len(claims) == 2
        and claims[0].property == claims[1].property in (BIRTH, DEATH)
        and all(words.is_person(c.subject) for c in claims)
    )


def ages(phrases: NounPhrases, compute: Compute) -> str:
    """How many years older or younger one person was than another, or before or after the other died."""
    words = phrases.form_words
    of = {words.definition(a)[1].subject: a for a in compute.args}
    near, far = sorted(
        (s for s in of if isinstance(s, str)), key=lambda s: words.ranks[s], reverse=True
    )
    phrases.used.update(words.definition(a)[0] for a in compute.args)
    one, other = phrases.noun_phrase(near), phrases.noun_phrase(far, subject=True)
    first = words.years.get(str(of[far]), 0) < words.years.get(str(of[near]), 0)
    index, claim = words.definition(of[far])
    if claim.property == BIRTH:
        return f"how many years {'older' if first else 'younger'} than {one} was {other}?"
    return f"how many years {'before' if first else 'after'} {one} {phrases.choose(phrases.frames(index)).inverted(other, words.verbs.bases)}?"


def of_measures(words: FormWords, compute: Compute) -> bool:
    """Whether measures are computed with, not dates."""
    return all(
        a not in words.reads and words.facts.datatype(words.definition(a)[1].property) == "quantity"
        for a in compute.args
    )


def measured(phrases: NounPhrases, compute: Compute) -> str:
    """By how much one thing is taller, or how many times as tall."""
    words = phrases.form_words
    phrase = words.phrase(words.definition(compute.args[0])[1])
    one, other = _two(phrases, compute)
    if compute.op == "difference" and phrase.measure:
        units = f", in {words.unit(words.form.ask.unit)}" if words.form.ask.unit else ""
        return f"what is the difference in {phrase.measure} between {one} and {other}{units}?"
    grades = words.data["comparatives"].get(phrase.property)
    if compute.op != "ratio" or grades is None:
        phrases.cost += HOPELESS
        return "how much is the difference?"
    first, second = (words.definition(a)[1].subject for a in compute.args)
    assert isinstance(first, str) and isinstance(second, str), "both are things of the form"
    larger, smaller = (one, other) if words.ranks[first] > words.ranks[second] else (other, one)
    return f"how many times as {grades[2]} as {smaller} is {larger}?"


def of_two(phrases: NounPhrases, compute: Compute, ask: Callable[[NounPhrases], str]) -> str:
    """A question about the one of two things that comes first or is greater."""
    words = phrases.form_words
    index, claim = words.definition(compute.keys[0])
    one, other = _two(phrases, compute)
    if compute.op in ("earliest", "latest"):
        frames = [f for f in phrases.frames(index) if f.subject == "s" and not f.rest]
        if not frames:
            phrases.cost += HOPELESS
            frames = list(phrases.frames(index))
        relative = "who" if words.is_person(compute.args[0]) else "that"
        said = f"one {relative} {phrases.choose(frames).predicate('earlier' if compute.op == 'earliest' else 'later')}"
    else:
        grades = words.data["comparatives"].get(claim.property)
        measure = words.phrase(claim).measure
        greater = compute.op == "largest"
        said = (
            f"{grades[0 if greater else 1]} one"
            if grades
            else f"one with the {'greater' if greater else 'smaller'} {measure}"
        )
    phrases.introduced[compute.out] = said  # never "it": the two are introduced too
    question = ask(phrases)
    return f"of {one} and {other}, {question}"
