"""Removes from evidence and settings what must not be published in the data set: names and hashes
of pictures, and paths of this machine.

If a picture was refused, the evidence contains the picture's name, which often tells the name of
the entity. In the data set only `attribution.parquet` names pictures, and only pictures of the data
set.
"""

import re
from pathlib import PurePath, PureWindowsPath
from typing import Any

OMITTED = "(omitted)"
_PICTURE_KEYS = frozenset({"file", "image", "image_id", "picture", "perceptual_hash", "sha256"})
_PICTURE = re.compile(
    r"[0-9a-f]{64}|\.(?:jpe?g|png|gif|svg|tiff?|webp|bmp|avif|heic|xcf|djvu|pdf)\b", re.I
)


def without_pictures(evidence: Any) -> Any:
    """Evidence without names and hashes of pictures.

    >>> without_pictures({"candidates": [{"file": "A logo.png", "reason": "picture_too_simple"}], "seen": "B.jpg"})
    {'candidates': [{'reason': 'picture_too_simple'}], 'seen': '(omitted)'}
    """
    if isinstance(evidence, dict):
        return {k: without_pictures(v) for k, v in evidence.items() if k not in _PICTURE_KEYS}
    if isinstance(evidence, list):
        return [without_pictures(v) for v in evidence]
    if isinstance(evidence, str) and _PICTURE.search(evidence):
        return OMITTED
    return evidence


def error_kind(evidence: Any) -> Any:
    """The class name of an error. Messages and tracebacks are left out, since they may contain
    paths of this machine.

    >>> error_kind({"error": "FileNotFoundError(2, '/home/a/b')", "traceback": "…"})
    {'error': 'FileNotFoundError'}
    """
    return (
        {"error": str(evidence.get("error", "")).split("(")[0]}
        if isinstance(evidence, dict)
        else None
    )


def without_places(settings: Any) -> Any:
    """Settings from which addresses are removed. Of an absolute path, only the last part is kept.

    >>> without_places({"clip": "/home/a/clip", "endpoints": [{"name": "a", "base_url": "https://host/v1"}], "share": 0.1})
    {'clip': 'clip', 'endpoints': [{'name': 'a', 'base_url': '(omitted)'}], 'share': 0.1}
    """
    if isinstance(settings, dict):
        return {k: without_places(v) for k, v in settings.items()}
    if isinstance(settings, list | tuple):
        return [without_places(v) for v in settings]
    if isinstance(settings, str):
        if "://" in settings:
            return OMITTED
        if settings.startswith(("/", "~", "..")) or PureWindowsPath(settings).drive:
            return PureWindowsPath(settings).name if "\\" in settings else PurePath(settings).name
    return settings
