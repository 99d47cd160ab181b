"""Small pictures for tests, drawn by seed."""

import io
import random

from PIL import Image, ImageDraw, ImageFilter, ImageFont


def scene(seed: int, size: tuple[int, int] = (640, 480)) -> Image.Image:
    """A landscape with a tower, textured like a photograph; another seed gives another one."""
    rng = random.Random(seed)
    width, height = size
    image = Image.linear_gradient("L").resize(size).convert("RGB")
    sky = Image.new("RGB", size, tuple(rng.randint(120, 235) for _ in range(3)))
    image = Image.blend(image, sky, 0.6)
    draw = ImageDraw.Draw(image)
    horizon = rng.randint(height // 2, 3 * height // 4)
    draw.rectangle((0, horizon, width, height), fill=tuple(rng.randint(40, 140) for _ in range(3)))
    for _ in range(60):
        x, y, r = rng.randrange(width), rng.randrange(horizon, height), rng.randint(4, 30)
        draw.ellipse((x, y, x + r, y + r // 2), fill=tuple(rng.randint(30, 190) for _ in range(3)))
    x, w, h = (
        rng.randint(width // 4, 3 * width // 4),
        rng.randint(width // 16, width // 6),
        rng.randint(height // 4, horizon - 20),
    )
    colours = [tuple(rng.randint(0, 255) for _ in range(3)) for _ in range(2)]
    for i in range(6):
        draw.rectangle(
            (x - w / 2, horizon - h + i * h / 6, x + w / 2, horizon - h + (i + 1) * h / 6),
            fill=colours[i % 2],
        )
    noise = Image.frombytes("L", size, random.Random(seed).randbytes(width * height)).filter(
        ImageFilter.GaussianBlur(1)
    )
    return Image.blend(image, noise.convert("RGB"), 0.12)


def file_of(image: Image.Image, kind: str = "JPEG", **options) -> bytes:
    """The picture as a file's bytes."""
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def with_text(image: Image.Image, text: str, at: tuple[int, int], height: int) -> Image.Image:
    """The picture with dark text on a light plate."""
    image = image.copy()
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(height)
    left, top, right, bottom = draw.textbbox(at, text, font=font)
    draw.rectangle(
        (left - height / 2, top - height / 3, right + height / 2, bottom + height / 3),
        fill=(236, 228, 205),
    )
    draw.text(at, text, font=font, fill=(35, 28, 20))
    return image
