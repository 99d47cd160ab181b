"""Maps the licence names of Commons to licence families, and tells which pictures may be redistributed."""

import re
from collections.abc import Collection

from questloom.records.knowledge import ImageAsset

ALLOWED = ("CC0", "PD", "CC BY", "CC BY-SA")
"""The licence families that a recipe allows by default. A picture without a licence is never
allowed."""

_CREATIVE_COMMONS = re.compile(r"^(?:cc|creative commons)[ -]?(?P<terms>by(?:[ -](?:nc|nd|sa))*)\b")
_ATTRIBUTION = {
    "attribution-sharealike": "CC BY-SA",
    "attribution-share alike": "CC BY-SA",
    "creative commons attribution-share alike": "CC BY-SA",
    "creative commons attribution-sharealike": "CC BY-SA",
    "creative commons attribution": "CC BY",
}


def licence_family(short_name: str) -> str:
    """The family of a licence's `LicenseShortName`, without version, port or migration note; "" for an unknown name.

    >>> licence_family("CC-BY-SA-3.0-migrated"), licence_family("Public domain"), licence_family("CC BY-NC 2.0")
    ('CC BY-SA', 'PD', 'CC BY-NC')
    >>> licence_family("GFDL")
    ''
    """
    name = " ".join(short_name.lower().replace("_", " ").split())
    if re.match(r"^(?:cc[ -]?(?:0|zero)|creative commons zero)\b", name):
        return "CC0"
    if re.match(r"^(?:pd|pdm|public domain)\b", name):
        return "PD"
    found = _CREATIVE_COMMONS.match(name)
    if found:
        return "CC " + "-".join(found["terms"].replace("-", " ").upper().split())
    without_version = re.sub(r"[ -]\d(?:\.\d)?.*$", "", name)
    return _ATTRIBUTION.get(without_version, "")


def may_be_given_on(image: ImageAsset, families: Collection[str]) -> bool:
    """Whether a data set may contain a picture, judged by its licence. The picture must come from
    Commons and have an allowed licence family. Pictures that only one wiki holds are often fair
    use, so data sets may not contain them."""
    return image.repository != "local" and licence_family(image.licence) in families
