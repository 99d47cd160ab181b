"""Makes the words of questions about details of the picture, and about comparisons of two things.

```
read          "Which year is written on the plaque of this bridge?"
years to      "How many years before 1900 is the year on the plaque of this bridge?"
ages          "How many years older than the architect of this bridge was his teacher?"
died          "By how many years did the architect of this bridge outlive his teacher?"
events        "How many years passed between the opening of this museum and the death of its founder?"
a reading     "How many years separate the opening of this museum from the year on its plaque?"
difference    "What is the difference in height between this tower and the one designed by its architect, in metres?"
ratio         "How many times as long as this bridge is …?"
one of two    "Of this bridge and …, in which town does the longer one stand?"
```
"""

from collections.abc import Callable

from questloom.language.frames import PREPOSITIONS
from questloom.records.form import Compute, Reads, Term
from questloom.records.knowledge import Value
from questloom.transforms.writing.graph.clauses import HOPELESS
from questloom.transforms.writing.graph.form_words import FormWords, place_of_writing
from questloom.transforms.writing.graph.noun_phrases import OBJECTS, NounPhrases

BIRTH, DEATH = "P569", "P570"
MANY = 5
"""If a question has at least this number of claims, the descriptions of the compared things count
as long."""
SAYS, SHORT = 4.0, 8
"""Cost of "say" at the end of a question of more words."""
NEAR, KIN = 6, 2
"""The number of words of two people between which a reader keeps "how many years" in mind, and of
the second of them alone: "How many years older than the man who had this theatre built was his
father?"."""
PASSED = 2.0
"""Cost of "How many years passed between the birth of its author and its publication?". Readers gave
it 3 of 5, and "How many years after the birth of its author was it published?" 4."""
LIFETIME = 60
"""Maximum number of years by which somebody may outlive another: they should have met."""
CHOOSES = ("earliest", "latest", "largest", "smallest")


def phrase_picture_question(phrases: NounPhrases, reads: Reads) -> str:
    """The question that asks for writing, a count or a colour in the picture."""
    words = phrases.form_words
    table = words.data["seen"].get(reads.property)
    if table is None:
        phrases.cost += HOPELESS
        return "what is to be seen?"
    part = words.class_noun(reads.part) if reads.part else ""
    year = "year" if words.form.ask.type == "date" else "text"
    place = place_of_writing(words, reads)
    where = "" if place == "part" else f"_{place}"
    template = phrases.choose(table.get(f"{year}{where}") or table["any"])
    if "{s}" not in template:
        phrases.anchor_phrase = "this picture"
        return template
    said = template.replace("{ps}", words.words.plural(part)).replace("{p}", part)
    asked = phrases.with_owner(said, part, reads.of)
    # "What does the cover of the novel set in this town say?"
    phrases.cost += SAYS * (template.endswith(" say?") and len(asked.split()) > SHORT)
    return asked


def years_to(phrases: NounPhrases, compute: Compute) -> str:
    """The question that asks for the number of years between the year in the picture and a year
    that the question names."""
    words = phrases.form_words
    named = next(a for a in compute.args if isinstance(a, Value))
    reads = words.reads[next(a for a in compute.args if isinstance(a, str))]
    later = words.years.get(reads.var, 0) > (named.year or 0)
    return f"how many years {'after' if later else 'before'} {words.words.date(named)} is {phrases.read_year(reads)}?"


def _two(phrases: NounPhrases, compute: Compute) -> tuple[str, str]:
    """The words for the two compared things. The thing that is nearer to the picture comes first.
    If both things are of the same kind, the second is called "the one …"."""
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


def are_events(words: FormWords, compute: Compute) -> bool:
    """Whether there is a noun for each of two dates: "her birth", "the year on her portrait"."""
    return all(event_of(words, a) for a in compute.args)


def same_of_people(words: FormWords, compute: Compute) -> bool:
    """Whether the births of two people are compared, or their deaths."""
    claims = [words.definition(a)[1] for a in compute.args if a not in words.reads]
    return (
        len(claims) == 2
        and claims[0].property == claims[1].property in (BIRTH, DEATH)
        and all(words.is_person(c.subject) for c in claims)
    )


def event_of(words: FormWords, literal: Term) -> str:
    """The event of a date as a noun ("opening"); "" where there is no noun. For a year in the
    picture, the result is "reading"."""
    if literal in words.reads:
        return "reading"
    claim = words.definition(literal)[1]
    nouns = words.data["events"].get(claim.property, {})
    return next((nouns[k] for k in words.kinds(claim.subject) if k in nouns), nouns.get("any", ""))


def ages(phrases: NounPhrases, compute: Compute) -> str:
    """The question that asks how many years older or younger a person was than another, or how many
    years earlier or later than another a person died. For other dates, the question asks how many
    years lie between two events."""
    words = phrases.form_words
    if not same_of_people(words, compute) or (
        len(words.claims) >= MANY and phrases.rng.random() < 0.5
    ):
        return _between_events(phrases, compute)
    of = {words.definition(a)[1].subject: a for a in compute.args}
    near, far = sorted(
        (s for s in of if isinstance(s, str)), key=lambda s: words.ranks[s], reverse=True
    )
    phrases.used.update(words.definition(a)[0] for a in compute.args)
    first = words.years.get(str(of[far]), 0) < words.years.get(str(of[near]), 0)
    index, claim = words.definition(of[far])
    one, other = phrases.noun_phrase(near), phrases.noun_phrase(far, subject=True)
    apart = words.years.get(str(of[near]), 0) - words.years.get(str(of[far]), 0)
    if claim.property == DEATH and 0 < apart <= LIFETIME and one not in ("him", "her"):
        return f"by how many years did {one} outlive {OBJECTS.get(other, other)}?"
    length = len(f"{one} {other}".split())
    if length > NEAR and len(other.split()) > KIN and one not in ("him", "her"):
        # "How many years before the artist of this painting did the man who influenced him
        # die?" is hard to read.
        event = words.words.plural(event_of(words, of[near]))
        return f"how many years passed between the {event} of {one} and {other}?"
    if claim.property == BIRTH:
        # "Older than the man this plant is named after was his father"
        phrases.cost += 5.0 * (one.split()[-1] in PREPOSITIONS)
        return f"how many years {'older' if first else 'younger'} than {one} was {other}?"
    frame = phrases.choose(phrases.frames(index))
    # "How many years before his father did this bridge's architect die?"
    if other.startswith(("his ", "her ")) and one not in ("him", "her"):
        died = frame.inverted(one, words.verbs.bases)
        return f"how many years {'after' if first else 'before'} {other} {died}?"
    died = frame.inverted(other, words.verbs.bases)
    # "How many years before him did his teacher die?"
    phrases.cost += 3.0 * (one in ("him", "her"))
    return f"how many years {'before' if first else 'after'} {one} {died}?"


def _between_events(phrases: NounPhrases, compute: Compute) -> str:
    """The question that asks for the years between two events. The earlier event comes first, and a
    year in a picture behind the event of the thing nearer to the picture. No verb follows a long
    description."""
    words = phrases.form_words

    def about(literal: Term) -> Term:
        return (
            words.reads[literal].of
            if isinstance(literal, str) and literal in words.reads
            else words.definition(literal)[1].subject
        )

    near, far = sorted(
        compute.args,
        key=lambda a: (words.ranks[str(about(a))], a not in words.reads),
        reverse=True,
    )
    years = [words.years.get(str(a), 0) for a in (near, far)]
    if years[1] < years[0] and not any(a in words.reads for a in (near, far)):
        near, far = far, near  # "between her birth and the founding of that museum"
    for literal in (near, far):
        if literal not in words.reads:
            phrases.used.add(words.definition(literal)[0])
    told = [a for a in (near, far) if a in phrases.told_years]
    if told and len(told) < 2:  # after "The portrait of the artist bears a year."
        index, claim = words.definition(far if near in told else near)
        after = words.years[str(told[0])] > words.years[str(claim.object)]
        frame = phrases.choose(phrases.frames(index))
        said = frame.inverted(phrases.noun_phrase(claim.subject, subject=True), words.verbs.bases)
        return f"how many years {'earlier' if after else 'later'} {said}?"
    nouns = [event_of(words, literal) for literal in (near, far)]
    if nouns[0] == nouns[1]:
        one, other = phrases.noun_phrase(about(near)), phrases.noun_phrase(about(far))
        phrases.cost += HOPELESS * (other in ("her", "him"))
        one = f"the {words.words.plural(nouns[0])} of {one}"
    else:
        one, other = (
            phrases.read_year(words.reads[literal])
            if literal in words.reads
            else phrases.possessor(about(literal), noun)
            for literal, noun in zip((near, far), nouns, strict=True)
        )
    if any(a in words.reads for a in (near, far)):
        # Years pass between events, but not between an opening and the year on a plaque.
        phrases.cost += 0.5 * max(0, len(one.split()) - NEAR)
        return f"how many years separate {one} from {other}?"
    phrases.cost += PASSED * (2 if other.startswith("its ") else 1)
    return f"how many years passed between {one} and {other}?"


def of_measures(words: FormWords, compute: Compute) -> bool:
    """Whether the computation uses measures and not dates."""
    return all(
        a not in words.reads and words.facts.datatype(words.definition(a)[1].property) == "quantity"
        for a in compute.args
    )


def measured(phrases: NounPhrases, compute: Compute) -> str:
    """The question that asks by how much one thing is taller than another, or how many times as
    tall."""
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
    """A question about one of two things: the thing that is first or last, greater or smaller."""
    words = phrases.form_words
    index, claim = words.definition(compute.keys[0])
    one, other = _two(phrases, compute)
    by_age = words.data["ages"].get(claim.property)
    if by_age and compute.op in ("earliest", "latest"):
        age = by_age[0 if compute.op == "earliest" else 1]
        said = age if age == "elder" else f"{age} one"
    elif compute.op in ("earliest", "latest"):
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
    phrases.introduced[compute.out] = said  # never "it": both things are introduced too
    question = ask(phrases)
    # Referring back by a noun would repeat it, but here the noun comes first.
    phrases.cost -= HOPELESS * question.count(f"the {said}")
    return f"of {one} and {other}, {question[:1].lower()}{question[1:]}"
