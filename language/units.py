"""Units as people write them. A unit has a dimension, a factor to the dimension's base unit, and a
position before or after the number."""

from dataclasses import dataclass

from questloom.language.normalise import clean, fold


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measure: `base = number × factor + offset`, where `base` is in the dimension's base unit."""

    dimension: str
    factor: float = 1.0
    offset: float = 0.0


_TABLE = """
length 1 m metre metres meter meters
length 1e3 km kms kilometre kilometres kilometer kilometers
length 1e-2 cm centimetre centimetres centimeter centimeters
length 1e-3 mm millimetre millimetres millimeter millimeters
length 0.3048 ft foot feet '
length 0.0254 in inch inches " ''
length 0.9144 yd yard yards
length 1609.344 mi mile miles
length 1852 nmi nautical_mile nautical_miles
length 9.4607304725808e15 ly light-year light-years light_year light_years
mass 1e-6 mg milligram milligrams
mass 1e-3 g gram grams
mass 1 kg kilo kilos kilogram kilograms kilogramme kilogrammes
mass 1e3 t tonne tonnes metric_ton metric_tons
mass 0.45359237 lb lbs pound_weight pounds_weight
mass 0.028349523125 oz ounce ounces
mass 6.35029318 stone stones
area 1 m2 sq_m square_metre square_metres square_meter square_meters
area 1e6 km2 sq_km square_kilometre square_kilometres square_kilometer square_kilometers
area 1e4 ha hectare hectares
area 4046.8564224 acre acres
area 2589988.110336 sq_mi mi2 square_mile square_miles
area 0.09290304 sq_ft ft2 square_foot square_feet
volume 1 l litre litres liter liters
volume 1e-3 ml millilitre millilitres milliliter milliliters
volume 1e3 m3 cubic_metre cubic_metres cubic_meter cubic_meters
volume 1e12 km3 cubic_kilometre cubic_kilometres cubic_kilometer cubic_kilometers
time 1 s sec secs second seconds
time 60 min mins minute minutes
time 3600 h hr hrs hour hours
time 86400 day days
time 604800 week weeks
months 1 month months
months 12 year years yr yrs
months 120 decade decades
months 1200 century centuries
speed 1 m/s metres_per_second meters_per_second metre_per_second
speed 0.2777777777777778 km/h kph kmh kilometres_per_hour kilometers_per_hour kilometre_per_hour
speed 0.44704 mph miles_per_hour mile_per_hour
speed 0.5144444444444445 kn knot knots
power 1 w watt watts
power 1e3 kw kilowatt kilowatts
power 1e6 mw megawatt megawatts
power 745.6998715822702 hp horsepower
share 1 % percent per_cent
share 0.1 permille per_mille ‰
usd 1 $ us$ usd dollar dollars us_dollar us_dollars united_states_dollar united_states_dollars
eur 1 € eur euro euros
gbp 1 £ gbp pound_sterling pounds_sterling
jpy 1 ¥ jpy yen japanese_yen
inr 1 ₹ inr rupee rupees
"""


def _read() -> dict[str, Unit]:
    units: dict[str, Unit] = {}
    for line in _TABLE.strip().splitlines():
        dimension, factor, *names = line.split()
        units |= {name.replace("_", " "): Unit(dimension, float(factor)) for name in names}
    celsius, fahrenheit, kelvin = (
        Unit("temperature", 1.0, 273.15),
        Unit("temperature", 5 / 9, 459.67 * 5 / 9),
        Unit("temperature"),
    )
    for unit, words in (
        (celsius, "°c celsius degrees_celsius degree_celsius"),
        (kelvin, "k kelvin kelvins"),
        (fahrenheit, "°f fahrenheit degrees_fahrenheit degree_fahrenheit"),
    ):
        units |= {name.replace("_", " "): unit for name in words.split()}
    return units


UNITS = _read()
PREFIXES = ("us$", "$", "€", "£", "¥", "₹", "usd", "eur", "gbp")
"""Units that stand before the number."""
SUBUNITS = {
    ("length", 0.3048): 0.0254,
    ("time", 3600.0): 60.0,
    ("time", 60.0): 1.0,
    ("months", 12.0): 1.0,
    ("mass", 0.45359237): 0.028349523125,
    ("mass", 6.35029318): 0.45359237,
}
"""The smaller unit that may follow a larger unit, as in six feet two inches."""


def unit_of(words: str) -> Unit | None:
    """The unit with this name, or None.

    >>> unit_of("Square kilometres").factor, unit_of("players")
    (1000000.0, None)
    """
    plain = fold(clean(words)).strip(" .")
    return UNITS.get(plain) or UNITS.get(plain.rstrip("s"))
