"""Makes the question sentence. The wording of the question sentence depends on the type of the
answer."""

import re

from questloom.language.frames import BE, PREPOSITIONS
from questloom.records.form import Compute, Term
from questloom.transforms.writing.graph.clauses import HOPELESS, LIGHT
from questloom.transforms.writing.graph.lints import ends_in_short_clause, is_heavy, num_relative
from questloom.transforms.writing.graph.noun_phrases import OBJECTS, NounPhrases
from questloom.transforms.writing.graph.reasoning_questions import (
    CHOOSES,
    NEAR,
    ages,
    are_events,
    event_of,
    measured,
    of_measures,
    of_two,
    phrase_picture_question,
    same_of_people,
    years_to,
)

FROM_READING = 4.0
"""Cost of "How many years before the year on the plaque of that church did it open?". Readers gave it
1.7 of 5, and "How many years separate the opening of that church from the year on its plaque?" 4."""
BEFORE = 2.0
"""Cost of counting back from an event: "How many years before its architect died was it built?"."""
OWN = 2.0
"""Cost of "How many years after the birth of that library's founder was it set up?". Editors gave it 3
of 5, "How many years after its founder's birth was that library set up?" 2, and "How many years
separate the founding of that library from the birth of its founder?" 4."""
PILED = 4.0
"""Cost of three verbs in a row: "after the museum that employed this man was opened did its founder
die"."""
ITS_IT = 4.0
"""Cost of "it" as the subject behind the year of its own picture."""
SPLIT = 2.0
"""Cost of a clause inside a verb: "In what year was the museum that houses this painting founded?"."""
LYING = 2.0
"""Cost of "On which river does the birthplace of this novel's author lie?". Readers gave it 3 of 5,
and "Which river flows past …?" 5."""
LATE = 6.0
"""Cost of a clause behind the verb: "In which town was the woman born who discovered this fish?".
Readers gave such questions 2.5 of 5, and "On what date was the man who commissioned that bridge
born?" 3.7."""
WHOSE = 5.0
"""Cost of "Whose work is the painting by …", where "Who painted it?" can follow a sentence."""
SPREAD = 2.5
"""Cost of two predicates, one of which could follow the noun. Readers gave them 3 of 5, and one
predicate 5."""
TRAILING = 1.0
"""Cost of a unit at the end: "What is the length of that river, in kilometres?"."""

SUBJECTS = {said: pronoun for pronoun, said in OBJECTS.items()}
_CHAIN = re.compile(
    r"(?:the \w+ of )?(?:that ((?:other )?\w+)'s|its) (\w+)(?:'s \w+| was born| died)?"
)
"""An event of somebody who belongs to the thing that "it" would mean."""
_LATE = re.compile(r"(the \w+)( who .+)")
"""A person with a clause that may stand behind the verb."""


def question(phrases: NounPhrases) -> str:
    """The sentence that asks. The question sentence describes everything that the text has not
    introduced before."""
    words, ask = phrases.form_words, phrases.form_words.form.ask
    if ask.var in words.computes:
        compute = words.computes[ask.var]
        if not all(isinstance(a, str) for a in compute.args):
            return years_to(phrases, compute)
        said = (
            measured
            if of_measures(words, compute)
            else ages
            if same_of_people(words, compute)
            or (are_events(words, compute) and phrases.rng.random() < 0.6)
            else _years_between
        )
        return said(phrases, compute)
    if ask.var in words.reads:
        return phrase_picture_question(phrases, words.reads[ask.var])
    plain = _entity if ask.type == "entity" else _literal
    chosen = next((c for c in words.computes.values() if c.op in CHOOSES), None)
    return of_two(phrases, chosen, plain) if chosen else plain(phrases)


def fronted(
    phrases: NounPhrases, index: int, slot: str, wh: str, *, rest: bool = False
) -> str | None:
    """A question for one end of a claim, made from a sentence that can state the claim: "In which
    town was … born?". None where no sentence fits.

    Args:
        phrases: the noun phrases, with all random choices so far.
        index: index of the claim.
        slot: the asked end of the claim: "s" (subject) or "o" (object).
        wh: the question words ("which town", "who", "in which year", "how many metres").
        rest: whether the words after the asked end also move to the front ("how many metres tall").
    """
    words = phrases.form_words
    frame = phrases.choose(phrases.frames(index))
    other = phrases.other(index, slot)
    phrases.cost += 3.0 * frame.is_weak  # "is across the river", "is by the founder of …"
    if frame.subject == slot:
        seen = words.reads.get(str(other))
        end = phrases.in_year(seen) if seen else phrases.noun_phrase(other)
        phrases.weigh_before_rest(frame, end)
        return f"{wh} {frame.predicate(end)}?"
    if rest and (frame.preposition or frame.other != "q"):
        return None
    asks = "whom" if frame.preposition and wh == "who" else wh
    opening = " ".join(w for w in (frame.preposition, asks, frame.rest if rest else "") if w)
    subject, clause = phrases.noun_phrase(other, subject=True), ""
    tail = " ".join(w for w in (frame.middle, "" if rest else frame.rest) if w)
    is_short = 1 < len(subject.split()) < LIGHT
    if tail or frame.verb not in ("is", "was"):
        # "In which town was the woman born who discovered this fish?"
        short = ends_in_short_clause(subject.split())
        late = None if wh == "who" or rest else _LATE.match(subject)
        if late and not (short and phrases.rng.random() < 0.5):
            subject, clause = late.groups()
            short = False
            phrases.cost += LATE
        _weigh_middle(phrases, subject, clauses=not short)
        phrases.cost += HOPELESS * (is_heavy(subject.split()) and not short)
        phrases.cost += SPLIT * (short and frame.verb in BE)
        phrases.cost += LYING * (frame.verb in ("lies", "stands") and len(subject.split()) > LIGHT)
    if frame.preposition == "to" and asks == "whom":
        phrases.cost += 1.0  # "To whom is this church dedicated?"
    elif frame.preposition == "of" and frame.middle.startswith("the ") and is_short:
        phrases.cost += 1.0  # "Of which district is that town the capital?"
    elif frame.preposition in ("of", "by") or asks == "whom":
        # "Of which range is the mountain part?", "By whom is the novel set in this town?", "Under whom did this bridge's engineer study?"
        phrases.cost += 4.0 if frame.preposition == "by" and frame.middle else HOPELESS
    inverted = frame.inverted(subject, words.verbs.bases)
    if rest and frame.rest:
        inverted = inverted.removesuffix(" " + frame.rest)
    return f"{opening} {inverted}{clause}?"


def _weigh_middle(phrases: NounPhrases, subject: str, *, clauses: bool = True) -> None:
    """Adds a cost for words between the two halves of a verb, since a reader must keep the first
    half in mind. A preposition must not stand directly before the second half ("is named after call
    his horse")."""
    phrases.cost += (
        0.45 * max(0, len(subject.split()) - LIGHT)
        + 3.0 * num_relative(subject) * clauses
        + HOPELESS * (subject.split()[-1] in PREPOSITIONS)
    )


def _filled(phrases: NounPhrases, template: str, subject: Term) -> str:
    """Fills the subject into a question of the language's file."""
    said = phrases.noun_phrase(subject)
    long = len(said.split()) > LIGHT
    # "This museum houses a painting made in Velm. Whose work is it?": the museum's architect?
    phrases.cost += (WHOSE if long or said == "it" else 0.5 * WHOSE) * template.startswith("Whose")
    if not template.endswith("{s}?"):
        _weigh_middle(phrases, said)
    return template.replace("{s}", said).replace("{their}", phrases.own(subject))


def _entity(phrases: NounPhrases) -> str:
    """The question for a thing or person."""
    words, var = phrases.form_words, phrases.form_words.form.ask.var
    claims, person = phrases.take_claims(var), phrases.form_words.is_person(var)
    # "Who studied under her and was influenced by the man who inspired her?": by whom?
    phrases.describing = [var] if person and len(claims) > 1 else []
    if not claims:
        phrases.cost += HOPELESS
        return "What is it?"
    noun = words.noun(var)
    works = [c for c in claims if phrases.is_occupation(*c)]
    if works and len(claims) > 1:  # "Which botanist worked for that museum?"
        claims = [c for c in claims if c != works[0]]
        noun, person = phrases.noun_phrase(phrases.other(*works[0])), False
    # "Which Gothic bridge crosses that river?"
    adjectives = [c for c in claims if not person and phrases.is_adjective(*c)]
    if len(adjectives) == len(claims) or phrases.rng.random() < 0.2:
        adjectives = []
    claims = [c for c in claims if c not in adjectives]
    frames = {i: phrases.frames(i) for i, _ in claims}
    # "Which painting by her was made in the town?", not "… made in the town is by her?". But "… is by
    # the same artist as this one?" is as good.
    weak_first = len(claims) > 1 and phrases.rng.random() < 0.5
    *modifying, last = sorted(
        claims,
        key=lambda c: (
            weak_first and not any(f.is_weak for f in frames[c[0]]),
            not frames[c[0]][0].is_reducible,
        ),
    )
    if person or (modifying and phrases.rng.random() < 0.4):
        modifying = []
    kind = phrases.kind_in_question(var, noun, modifying or claims)
    who = "who" if person else f"which {kind}"
    # "Which other Gothic bridge" would call the first one Gothic too.
    phrases.cost += HOPELESS * (bool(adjectives) and kind.startswith("other "))
    for index, slot in adjectives:
        who = phrases.with_adjective(who, phrases.other(index, slot))
    if not person:
        phrases.said_nouns.append(noun)
    if modifying:
        head = phrases.modified(who, modifying, person, bare_head=True)
        return f"{head} {phrases.predicates([last])}?"
    if len(claims) > 1:
        # "Which painting is by that artist and hangs in Velm?", where "Which painting by that artist
        # hangs in Velm?" was possible.
        said = phrases.predicates(claims)
        spread = any(f.is_reducible for i, _ in claims for f in frames[i]) and " and " in said
        phrases.cost += SPREAD * spread
        return f"{who} {said}?"
    index, slot = claims[0]
    phrase, other = words.phrase(words.claims[index]), phrases.other(index, slot)
    called = words.ends(index, slot)
    is_view = other == words.form.anchor and other not in words.names and not words.form.sign
    if slot == "o" and phrase.ask_shown and is_view:
        return phrases.shown_alone(phrases.choose(phrase.ask_shown))
    if slot == "o" and phrase.ask:
        if phrases.rng.random() < 0.5:
            return _filled(phrases, phrases.choose(phrase.ask), other)
        phrases.cost += 3.0  # the file has a question where the sentences make none that people ask: "Which dog belonged to …?"
    if called and other not in phrases.introduced and phrases.rng.random() < 0.4:
        phrases.cost += (
            1.3 if person else 3.0
        )  # "Who was the founder of …": "Who founded …" is shorter; "Which town was the birthplace of …" is for long subjects
        # "Who was the artist of the painting donated by …", where "Who painted it?" can follow
        phrases.cost += person and len(claims) + len(words.claims) > LIGHT
        past = person or phrase.say[0].is_past
        said = phrases.possessor(other, phrases.choose(called))
        return (
            f"{who if person or words.class_id(var) else 'what'} {'was' if past else 'is'} {said}?"
        )
    return fronted(phrases, index, slot, who) or ""


def _literal(phrases: NounPhrases) -> str:
    """The question for a date, a number or a text."""
    words, ask = phrases.form_words, phrases.form_words.form.ask
    index, claim = words.definition(ask.var)
    phrases.used.add(index)
    phrase, units = words.phrase(claim), words.unit(ask.unit) if ask.unit else ""
    if ask.type == "date":
        when = phrases.choose(words.data["when"].get(ask.precision, words.data["when"][""]))
        event = _happened(phrases, index, when) if phrases.rng.random() < 0.5 else ""
        return event or fronted(phrases, index, "o", when) or ""
    if phrase.ask and (not any("{units}" in a for a in phrase.ask) or phrases.rng.random() < 0.8):
        return _filled(phrases, phrases.choose(phrase.ask).replace("{units}", units), claim.subject)
    if (
        ask.type == "quantity"
        and phrases.rng.random() < 0.7
        and (said := fronted(phrases, index, "o", f"how many {units}".strip(), rest=True))
    ):
        return said
    noun = phrase.measure or phrases.choose(phrase.o or ("value",))
    phrases.cost += TRAILING * bool(units)
    said, of = phrases.possessor(claim.subject, noun), f"the {noun} of "
    if units and said.startswith(of) and len(said.split()) > 2 * LIGHT:
        # Not "the area of the district where that town lies, in square kilometres".
        return f"what is the {noun}, in {units}, of {said.removeprefix(of)}?"
    return f"what is {said}{f', in {units}' if units else ''}?"


def _happened(phrases: NounPhrases, index: int, when: str) -> str:
    """A question that says once what was done to a thing, if all its claims say the same verb: "In
    what year was a species discovered at that lake by this plant's discoverer?"; otherwise ""."""
    words, var = phrases.form_words, phrases.other(index, "o")
    frame = next((f for f in phrases.frames(index) if f.verb in BE and f.middle), None)
    if frame is None or not isinstance(var, str) or var in phrases.introduced:
        return ""
    before = set(phrases.used)
    same = [
        (i, slot, f)
        for i, slot in phrases.take_claims(var)
        for f in phrases.frames(i)[::-1]
        if (f.subject, f.verb, f.middle, f.rest) == (slot, frame.verb, frame.middle, "")
    ]
    if not same or {i for i, _, _ in same} | before != phrases.used or words.is_person(var):
        phrases.used = before
        return ""
    ends = [(f.preposition, phrases.noun_phrase(phrases.other(i, s))) for i, s, f in same]
    noun = words.words.indefinite(words.noun(var))
    places = " ".join(sorted((f"{p} {end}" for p, end in ends if p != "by"), key=len))
    for (i, slot, _), (preposition, end) in zip(same, ends, strict=True):
        active = [f for f in phrases.frames(i) if f.other == slot and f.verb not in BE]
        if preposition == "by" and active:  # "In what year did Ada Orme discover a species there?"
            subject = SUBJECTS.get(end, end)
            asked = f"{when} {active[0].inverted(subject, words.verbs.bases)} {noun} {places}"
            return f"{asked.strip()}?"
    places = " ".join(sorted((f"{p} {end}" for p, end in ends), key=len))
    return f"{when} {frame.verb} {noun} {frame.middle} {places}?"


# ---------------------------------------------------------------- years between


def _years_between(phrases: NounPhrases, compute: Compute) -> str:
    """A question like "How many years after this bridge opened did its architect die?". The earlier
    date comes first, so that the reader counts to the later date."""
    words, years = phrases.form_words, phrases.form_words.years
    known = [a for a in compute.args if isinstance(a, str) and a in years]
    if len(known) < 2:
        phrases.cost += HOPELESS
        return "how many years are there?"
    first, second = sorted(known, key=lambda a: years[a])
    for literal in known:
        if literal not in words.reads:
            phrases.used.add(words.definition(literal)[0])
    if second in words.reads or phrases.rng.random() < 0.3:
        last, back = (
            (first, second)
            if second in words.reads or phrases.rng.random() < 0.5
            else (second, first)
        )
        relation = "before" if last == first else "after"
    else:
        last, back, relation = second, first, "after"
    if last in words.reads:
        phrases.cost += HOPELESS
        return "how many years are there?"
    told = back in phrases.told_years
    index, claim = words.definition(last)
    frame = phrases.choose(phrases.frames(index))
    read = words.reads.get(back)
    own = read and not told and read.of == claim.subject and read.of in phrases.introduced
    # "This tower's architect worked for a theatre. … the year on its plaque": the tower's plaque?
    others = {words.form.anchor, *phrases.introduced} - {claim.subject, ""}
    if own and (words.is_person(claim.subject) or all(words.is_person(v) for v in others)):
        # The subject says what "its" means: "… the year on its plaque was that church opened?"
        subject = phrases.noun_phrase(claim.subject, subject=True)
        start = _when(phrases, back)
    else:
        start = "" if told else _when(phrases, back)
        subject = phrases.noun_phrase(claim.subject, subject=True)
    if told:
        relation = "earlier" if relation == "before" else "later"
        return f"how many years {relation} {frame.inverted(subject, words.verbs.bases)}?"
    that = subject.removeprefix("that ") if subject.startswith("that ") else ""
    own = None if read or (subject != "it" and not that) else _CHAIN.fullmatch(start)
    noun = phrases.introduced.get(str(claim.subject), "")
    if own and (thing := own[1] or that) and thing.removeprefix("other ") == noun:
        events = event_of(words, last), event_of(words, back)
        if all(events):
            return f"how many years separate the {events[0]} of that {thing} from the {events[1]} of its {own[2]}?"
    phrases.cost += OWN * (not read and (subject == "it" or " its " in f" {start} "))
    phrases.cost += FROM_READING * (bool(read) and are_events(words, compute))
    _weigh_middle(phrases, subject)
    phrases.cost += 0.6 * max(0, len(start.split()) - NEAR)
    # "How many years before the year on its plaque did it open?": "its" and "it" are one too many.
    twice = subject == "it" and " its " in start
    phrases.cost += ITS_IT * twice if read else BEFORE * (relation == "before")
    return f"how many years {relation} {start} {frame.inverted(subject, words.verbs.bases)}?"


def _when(phrases: NounPhrases, literal: str) -> str:
    """The words for the event of a date: "this bridge opened", "the year on the plaque of this
    bridge"."""
    words = phrases.form_words
    if literal not in words.reads:
        index, claim = words.definition(literal)
        event = words.phrase(claim).event
        if event and phrases.rng.random() < 0.4:
            return phrases.possessor(claim.subject, event)
        said = phrases.noun_phrase(claim.subject, subject=True)
        phrases.cost += PILED * num_relative(said)
        return phrases.choose(phrases.frames(index)).gap(said)
    return phrases.read_year(words.reads[literal])


def capital(sentence: str) -> str:
    """The sentence with a capital letter at its beginning.

    >>> capital("which bridge is it?")
    'Which bridge is it?'
    """
    return sentence[:1].upper() + sentence[1:]
