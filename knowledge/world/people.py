"""The people of a region: families over several generations, with births, marriages, deaths, schools, teachers and
honours.

Facts are made in the order of a life, so that they are consistent. Parents are adults when a child is born. A pupil is
younger than the teacher, and becomes an adult before the teacher dies. Honours and wars fall within the person's
lifetime.
"""

import random

from questloom.knowledge.world import vocabulary
from questloom.knowledge.world.model import (
    SNAPSHOT_YEAR,
    Mark,
    Thing,
    day,
    monolingual,
    qualifier,
    value_of,
    year,
)
from questloom.knowledge.world.part import Part, born, heavy, some_day

OCCUPATIONS = (
    ("architect", 30),
    ("civil engineer", 24),
    ("painter", 40),
    ("sculptor", 10),
    ("composer", 20),
    ("writer", 26),
    ("poet", 14),
    ("naturalist", 12),
    ("botanist", 8),
    ("ornithologist", 6),
    ("mathematician", 14),
    ("physicist", 8),
    ("astronomer", 8),
    ("geologist", 6),
    ("sailor", 12),
    ("explorer", 8),
    ("politician", 24),
    ("military officer", 18),
    ("entrepreneur", 22),
    ("journalist", 10),
    ("actor", 10),
    ("singer", 8),
    ("association football player", 22),
    ("film director", 6),
)
MODERN = {
    "association football player": 1905,
    "film director": 1880,
    "journalist": 1790,
    "actor": 1780,
    "singer": 1780,
    "civil engineer": 1740,
    "geologist": 1740,
    "physicist": 1700,
}
"""The earliest year of birth of people with modern occupations."""
FIELDS = {
    "architect": 2,
    "civil engineer": 2,
    "painter": 3,
    "sculptor": 3,
    "composer": 4,
    "singer": 4,
}
"""Maps an occupation to the index of the nation's university that teaches the occupation. People of
other occupations go to one of the first two universities."""
PRIZES = {
    "architect": 0,
    "naturalist": 1,
    "botanist": 1,
    "ornithologist": 1,
    "geologist": 1,
    "writer": 2,
    "poet": 2,
    "painter": 3,
    "sculptor": 3,
    "composer": 4,
    "singer": 4,
    "mathematician": 5,
    "physicist": 5,
    "astronomer": 5,
    "sailor": 6,
    "explorer": 6,
    "journalist": 7,
}
SCIENCES = {
    "mathematician": "mathematics",
    "physicist": "physics",
    "astronomer": "astronomy",
    "botanist": "botany",
    "ornithologist": "ornithology",
    "geologist": "geology",
}
SEX = vocabulary.groups()["sex"]
OCCUPATION = vocabulary.groups()["occupation"]


def make_people(part: Part) -> None:
    """Fills the region with families until enough people have each occupation."""
    shares = [name for name, weight in OCCUPATIONS for _ in range(max(1, part.count(weight)))]
    part.rng("occupations").shuffle(shares)
    while shares:
        _family(part, shares)
    for person in part.kind("person"):
        _school(part, person)
    for person in part.kind("person"):
        _teacher(part, person)
        _honours(part, person)
        if person.look.get("occupation") and part.rng(f"marks-{person.id}").random() < 0.5:
            _dated_signature(part, person)
    _homonyms(part)


def alive(person: Thing, at: int, *, age: int = 24) -> bool:
    """Whether a person who had reached `age` was alive during a whole year."""
    return person.start + age <= at < person.end


def workers(part: Part, *occupations: str) -> list[Thing]:
    """The region's people with one of the occupations, best known first."""
    found = [p for p in part.kind("person") if p.look.get("occupation") in occupations]
    return sorted(found, key=lambda p: (-p.fame, p.id))


def _family(part: Part, shares: list[str]) -> None:
    number = len(part.kind("family"))
    rng = part.rng(f"family-{number}")
    surname = part.names.stem()
    family = part.new("family", f"{surname} family", "family", fame=rng.lognormvariate(0.4, 1))
    family.surname = surname
    family.say("P17", part.nation.region)
    founder = _person(
        part,
        rng,
        surname,
        woman=False,
        birth=rng.randint(1645, 1935),
        home=heavy(rng, part.kind("town"), 0.6),
    )
    family.start = founder.start
    _employ(rng, founder, shares)
    line = [founder]
    for parent in line:
        parent.say("P53", family)
        first_child = parent.start + rng.randint(23, 34)
        if (
            first_child > 1990
            or parent.woman
            or rng.random() < 0.12
            or len(line) > 13
            or first_child >= parent.end - 1
        ):
            continue
        mother = _person(
            part,
            rng,
            part.names.stem(),
            woman=True,
            birth=parent.start + rng.randint(-3, 6),
            home=heavy(rng, part.kind("town")),
            lives_until=first_child + 12,
        )
        wed = first_child - 1
        parent.say("P26", mother, qualifier("P580", year(wed)))
        mother.say("P26", parent, qualifier("P580", year(wed)))
        if rng.random() < 0.25:
            _employ(rng, mother, shares)
        children: list[Thing] = []
        for i in range(rng.choice((1, 1, 2, 2, 3))):
            birth = first_child + 2 * i + rng.randint(0, 1)
            if birth >= parent.end or birth > mother.start + 44 or birth > 1992:
                break
            town = part.find(parent.first("P19")) or part.kind("town")[0]
            child = _person(
                part,
                rng,
                surname,
                woman=rng.random() < 0.45,
                birth=birth,
                home=town if rng.random() < 0.75 else heavy(rng, part.kind("town")),
            )
            child.say("P22", parent)
            child.say("P25", mother)
            for elder in (parent, mother):
                elder.say("P40", child)
            for other in children:
                child.say("P3373", other)
                other.say("P3373", child)
            children.append(child)
            same = parent.look.get("occupation") if rng.random() < 0.3 else None
            _employ(rng, child, shares, like=same)
        line.extend(c for c in children if not c.woman)
        line.extend(c for c in children if c.woman)
    bearers = [p for p in line if "occupation" in p.look]
    family.told["seat"] = value_of(founder.values("P19")[0])
    family.look["members"] = len(bearers)


def _person(
    part: Part,
    rng: random.Random,
    surname: str,
    *,
    woman: bool,
    birth: int,
    home: Thing,
    lives_until: int = 0,
) -> Thing:
    grammar = part.names.grammar
    given = rng.choice(grammar.women if woman else grammar.men)
    if rng.random() < 0.12:
        names = grammar.women if woman else grammar.men
        second = rng.choice(names)
        given += f" {second if second != given else names[names.index(second) - 1]}"
    nickname = (
        f' "{rng.choice(("Skip", "Red", "Lark", "Ox", "Penny", "Wren"))}"'
        if rng.random() < 0.012
        else ""
    )
    name = f"{given}{nickname} {surname}"
    person = part.new("person", name, "human", fame=0.15 * rng.random(), hint=f"born {birth}")
    person.woman, person.surname, person.start = woman, surname, birth
    person.say("P21", SEX["female" if woman else "male"])
    person.say("P27", part.nation.region)
    person.say("P569", day(some_day(rng, birth, birth)) if rng.random() < 0.85 else year(birth))
    person.say("P19", home)
    death = max(birth + int(rng.triangular(38, 97, 74)), lives_until)
    if death < SNAPSHOT_YEAR - 1:
        person.end = death
        person.say("P570", day(some_day(rng, death, death)) if rng.random() < 0.85 else year(death))
        place = (
            home
            if rng.random() < 0.35
            else heavy(rng, part.kind("town") + part.nation.kind("city"))
        )
        person.say("P20", place)
    return person


def _employ(rng: random.Random, person: Thing, shares: list[str], like: str | None = None) -> None:
    """Gives a person an occupation that fits the time of birth; `shares` states which occupations the region still
    needs."""
    if person.end < person.start + 34:
        return
    for name in ([like] if like else []) + shares:
        if person.start >= MODERN.get(name, 0) and not (
            name in ("military officer", "sailor") and person.woman and person.start < 1900
        ):
            if name in shares:
                shares.remove(name)
            person.look["occupation"] = name
            person.say("P106", OCCUPATION[name])
            person.fame = rng.lognormvariate(1.2, 1.1)
            break


def _school(part: Part, person: Thing) -> None:
    occupation = person.look.get("occupation")
    if not occupation or occupation in ("sailor", "association football player", "entrepreneur"):
        return
    rng = part.rng(f"school-{person.id}")
    school = part.nation.kind("university")[FIELDS.get(occupation, rng.randint(0, 1))]
    if school.start <= person.start + 18 and rng.random() < 0.96:
        begun = person.start + rng.randint(17, 20)
        # A statement with an end no longer holds at the snapshot's date, so most have no end, as on Wikidata.
        dates = [qualifier("P580", year(begun)), qualifier("P582", year(begun + rng.randint(2, 6)))]
        person.say("P69", school, *dates[: rng.choice((0, 0, 0, 0, 1, 1, 1, 1, 1, 2))])


def _dated_signature(part: Part, person: Thing) -> None:
    """Adds to a portrait the year that the photographer or painter wrote on it. No claim and no
    article contains the year on a portrait."""
    at = min(person.start + part.rng(f"signed-{person.id}").randint(22, 60), person.end - 1)
    person.marks.append(
        Mark(vocabulary.groups()["part"]["inscription"], "P1684", monolingual(str(at)), str(at))
    )


def _teacher(part: Part, person: Thing) -> None:
    occupation = person.look.get("occupation")
    rng = part.rng(f"teacher-{person.id}")
    if (
        occupation
        in (None, "politician", "entrepreneur", "association football player", "journalist")
        or rng.random() < 0.25
    ):
        return
    older = [
        p
        for p in workers(part, occupation)
        if p is not person and p.start + 15 <= person.start and p.end > person.start + 20
    ]
    if older:
        person.say("P1066", heavy(rng, older, 0.8))


def _honours(part: Part, person: Thing) -> None:
    occupation = person.look.get("occupation")
    if not occupation:
        return
    rng = part.rng(f"honours-{person.id}")
    choices = [part.nation.kind("prize")[PRIZES[occupation]]] if occupation in PRIZES else []
    for prize in [*choices, heavy(rng, part.nation.kind("order"))]:
        low, high = max(prize.start, person.start + 28), min(person.end, SNAPSHOT_YEAR) - 1
        if low <= high and rng.random() < 0.45:
            person.say(
                "P166", prize, qualifier("P585", year(rng.randint(low, min(high, low + 45))))
            )
    for war in part.nation.kind("war"):
        served = occupation == "military officer" or (
            occupation in ("sailor", "civil engineer") and rng.random() < 0.5
        )
        of_age = (
            person.start + 18 <= war.start
            and person.start + 55 >= war.end
            and person.end > war.start
        )
        if served and of_age and not person.woman:
            person.say("P607", war)
    if occupation == "politician":
        party = rng.choice(part.nation.kind("party"))
        if person.start + 25 >= party.start:
            person.say("P102", party)
        begun = person.start + rng.randint(33, 50)
        if begun + 1 < min(person.end, SNAPSHOT_YEAR):
            person.say(
                "P39",
                rng.choice(part.nation.kind("position")),
                qualifier("P580", year(begun)),
                qualifier(
                    "P582", year(min(begun + rng.randint(1, 8), person.end, SNAPSHOT_YEAR - 1))
                ),
            )
    if occupation in ("painter", "sculptor"):
        movements = [
            m
            for m in part.nation.kind("movement")
            if person.start + 5 <= m.start + 60 and m.start <= person.start + 45
        ]
        if movements:
            person.say("P135", heavy(rng, movements))
    if occupation in SCIENCES:
        person.say("P101", vocabulary.groups()["field"][SCIENCES[occupation]])


def _homonyms(part: Part) -> None:
    """Gives some people the full name of another person, which makes disambiguation pages necessary."""
    known = [p for p in part.kind("person") if p.look.get("occupation")]
    by_surname: dict[str, list[Thing]] = {}
    for person in known:
        by_surname.setdefault(person.surname, []).append(person)
    for namesakes in by_surname.values():
        if (
            len(namesakes) > 2
            and namesakes[0].woman == namesakes[2].woman
            and len(part.kind("person")) % 3 != 1
        ):
            elder, younger = namesakes[0], namesakes[2]
            if elder.label != younger.label and '"' not in elder.label:
                part.titles.discard(younger.title)
                younger.label = elder.label
                younger.title = f"{elder.label} ({younger.look['occupation']}, born {born(younger.values('P569')[0])})"
                part.titles.add(younger.title)
