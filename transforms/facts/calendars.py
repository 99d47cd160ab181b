"""Decides whether the day of a date is certain. In lands that still used the Julian calendar, one
event has two days, and sources state either of them.

Thomas Jefferson was born on 2 April 1743 by the calendar of Virginia, and on 13 April by the
Gregorian calendar. Wikidata marks the calendar of a date, but many data sets lose the mark. A
question therefore asks for such a date by its year. Where the two days lie in two years, no
question asks for the date.

Sources: https://www.wikidata.org/wiki/Help:Dates; the days of change are those of E. G. Richards,
"Mapping Time" (1998), chapter 19.
"""

from questloom.records.knowledge import Value
from questloom.records.periods import DAY, JULIAN, parts_of
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.facts.values import best_values
from questloom.transforms.remembered import remembered

Day = tuple[int, int, int]
FIRST: Day = (1582, 10, 15)
"""The first day of the Gregorian calendar. Earlier days have one name only, the Julian one."""
USUAL: Day = (1753, 3, 1)
"""The day from which all countries outside the table `_CHANGES` used the Gregorian calendar. Great
Britain with its colonies changed in 1752, and Sweden in 1753."""
LAST: Day = (1923, 3, 1)
"""The day from which the last country in the table uses the Gregorian calendar. It also holds for a
thing of which the store knows no country."""
_CHANGES: dict[Day, tuple[str, ...]] = {
    (1587, 11, 1): (  # the Catholic lands, of which Hungary was the last
        *("Q38", "Q172579", "Q170174", "Q165154", "Q153529", "Q174306"),  # Italy and its states
        *("Q142", "Q70972", "Q58296", "Q71084", "Q31"),  # France, Belgium
        *("Q29", "Q80702", "Q217196", "Q179293", "Q45", "Q200464"),  # Spain, Portugal
        *("Q40", "Q131964", "Q28513", "Q153136", "Q28", "Q171150", "Q36", "Q172107"),
        *("Q96", "Q155", "Q414", "Q298", "Q419", "Q717", "Q736", "Q739"),  # Latin America
    ),
    (1873, 1, 1): ("Q17", "Q188712"),  # Japan
    (1912, 1, 1): ("Q148", "Q865", "Q8733", "Q13426199", "Q222", "Q884", "Q423"),  # China, Korea
    (1918, 2, 14): (  # Russia and the lands that it ruled
        *("Q159", "Q15180", "Q34266", "Q186096", "Q139319", "Q2305208", "Q170770"),
        *("Q212", "Q133356", "Q243610", "Q184", "Q230", "Q399", "Q227", "Q217"),
        *("Q191", "Q211", "Q37", "Q33", "Q232", "Q265", "Q863", "Q813", "Q874"),
    ),
    LAST: (  # the Balkans, Turkey, and countries with calendars of their own
        *("Q218", "Q203493", "Q842794", "Q958291", "Q389004", "Q219", "Q41", "Q229"),
        *("Q403", "Q236", "Q221", "Q225", "Q1246", "Q83286", "Q43", "Q12560", "Q79", "Q115"),
        *("Q794", "Q889", "Q851", "Q869", "Q801", "Q193714", "Q810", "Q858", "Q822", "Q796"),
    ),
}
_CHANGE_OF = {country: day for day, countries in _CHANGES.items() for country in countries}
_COUNTRY = ("P17", "P27", "P495", "P1001")
_PLACE = ("P131", "P276")
_NEAR = (*_PLACE, "P19", "P20", "P119", "P159", "P740", "P551", "P937", "P39", "P170", "P50", "P31")
"""Properties that lead from a thing to its places, its office, its maker or its class, which have
countries."""
CLIMB = 3
"""Maximum number of steps from a thing to its countries."""


def precision_to_ask(facts: Facts, subject: str, value: Value) -> str | None:
    """The precision with which a question may ask for a value of a thing: "" for the value's own,
    "year" where its day is not certain. None where not even the year is certain.

    Args:
        facts: the store.
        subject: the thing.
        value: a value of the thing; values that are no days have their own precision.
    """
    if value.kind != "time" or value.precision < DAY or _is_day_certain(facts, subject, value):
        return ""
    _, month, day = parts_of(value.time)
    return None if (month == 1 and day <= 13) or (month == 12 and day >= 19) else "year"


def _is_day_certain(facts: Facts, subject: str, value: Value) -> bool:
    if value.unit == JULIAN:
        return value.gregorian < FIRST
    return parts_of(value.time) >= LAST or parts_of(value.time) >= change_of(facts, subject)


@remembered()
def change_of(facts: Facts, thing: str) -> Day:
    """The day from which all countries of a thing used the Gregorian calendar."""
    countries = _countries(facts, thing, _NEAR, CLIMB)
    return max((_CHANGE_OF.get(country, USUAL) for country in countries), default=LAST)


def _countries(facts: Facts, thing: str, ways: tuple[str, ...], steps: int) -> frozenset[str]:
    """The countries of a thing, and those of its surroundings."""
    found = _entities(facts, thing, _COUNTRY)
    for near in _entities(facts, thing, ways) if steps else ():
        found |= _countries(facts, near, _PLACE, steps - 1)
    return found


def _entities(facts: Facts, thing: str, properties: tuple[str, ...]) -> frozenset[str]:
    return frozenset(
        v.entity for p in properties for v in best_values(facts, thing, p) if v.kind == "entity"
    )
