"""Made-up names and drawn pictures for tests; the same key always gives the same."""

import io

from PIL import Image, ImageDraw, ImageFilter

from questloom.records.identity import chance

_SYLLABLES = (
    "var",
    "len",
    "mor",
    "eth",
    "is",
    "kal",
    "dun",
    "or",
    "wyn",
    "thal",
    "bre",
    "sen",
    "ulf",
    "ham",
    "ost",
    "ril",
)


def name(key: str) -> str:
    """A made-up proper name, always the same for a key."""
    draw = chance(0, key, "name")
    return "".join(draw.choice(_SYLLABLES) for _ in range(draw.choice((2, 2, 3)))).capitalize()


def person(key: str) -> str:
    return f"{name(key + ' first')} {name(key + ' last')}"


def draw_picture(key: str, kind: str, size: tuple[int, int] = (800, 600)) -> bytes:
    """A small landscape with one thing in it, as JPEG."""
    draw = chance(0, key, "picture")
    width, height = size
    image = Image.new("RGB", size)
    pen = ImageDraw.Draw(image)
    top, low = draw.choice(
        (
            ((70, 120, 180), (235, 220, 195)),
            ((40, 60, 110), (240, 160, 110)),
            ((120, 160, 190), (225, 235, 235)),
        )
    )
    for y in range(height):
        t = y / height
        pen.line(
            (0, y, width, y), tuple(round(a + (b - a) * t) for a, b in zip(top, low, strict=True))
        )
    pen.ellipse((w := draw.randint(60, 640), 60, w + 70, 130), (255, 244, 214))
    hills = [(x, 400 + draw.randint(-60, 30)) for x in range(0, width + 81, 80)]
    pen.polygon([*hills, (width, height), (0, height)], (96, 124, 104))
    ground = draw.choice(((64, 98, 76), (120, 104, 70), (48, 92, 120)))
    pen.rectangle((0, 470, width, height), ground)
    wall = draw.choice(((226, 214, 196), (190, 92, 70), (240, 238, 230), (150, 140, 130)))
    roof = draw.choice(((120, 50, 42), (60, 70, 86), (96, 80, 60)))
    if kind == "lighthouse":
        pen.polygon(((350, 500), (375, 190), (425, 190), (450, 500)), wall)
        for i in range(0, 3):
            pen.rectangle((358 + 6 * i, 430 - 85 * i, 442 - 6 * i, 462 - 85 * i), roof)
        pen.rectangle((368, 150, 432, 190), (250, 220, 120))
        pen.polygon(((360, 150), (400, 115), (440, 150)), roof)
    elif kind == "bridge":
        pen.rectangle((0, 340, width, 372), wall)
        arches = draw.randint(3, 5)
        for i in range(arches):
            left = i * width // arches
            pen.rectangle((left, 372, left + width // arches, 500), wall)
            pen.pieslice((left + 14, 390, left + width // arches - 14, 620), 180, 360, ground)
    elif kind == "painting":
        pen.rectangle((0, 0, width, height), (232, 226, 214))
        pen.rectangle((190, 70, 610, 530), (140, 100, 50))
        pen.rectangle((215, 95, 585, 505), top)
        for _ in range(22):
            x, y, r = draw.randint(230, 520), draw.randint(110, 450), draw.randint(14, 55)
            pen.ellipse(
                (x, y, min(x + r, 582), min(y + r, 502)),
                tuple(draw.randint(60, 230) for _ in range(3)),
            )
    else:
        pen.rectangle((250, 300, 550, 510), wall)
        pen.polygon(((225, 300), (400, 190 if kind == "town hall" else 120), (575, 300)), roof)
        for i in range(4):
            pen.rectangle((280 + i * 66, 340, 316 + i * 66, 390), (70, 90, 110))
        pen.rectangle((375, 430, 425, 510), roof)
    out = io.BytesIO()
    image.save(out, "JPEG", quality=88)
    return out.getvalue()


def blurred(picture: bytes) -> bytes:
    """The same picture out of focus."""
    out = io.BytesIO()
    Image.open(io.BytesIO(picture)).filter(ImageFilter.GaussianBlur(6)).save(
        out, "JPEG", quality=88
    )
    return out.getvalue()
