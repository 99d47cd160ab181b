"""The list of live services, in the order of the settings reference. To add a service, write a file for it and list it
here."""

from collections.abc import Sequence
from typing import Any

from questloom.agent.live.services import (
    google,
    google_images,
    jina,
    lens,
    pp_structure,
    serper,
    serper_images,
    serper_scholar,
    vision,
)
from questloom.agent.live.services.service import ROLES, Service
from questloom.records.registry import check_names, check_sentence

SERVICES: tuple[Service[Any], ...] = (
    serper.SERVICE,
    serper_scholar.SERVICE,
    google.SERVICE,
    serper_images.SERVICE,
    google_images.SERVICE,
    vision.SERVICE,
    lens.SERVICE,
    jina.SERVICE,
    pp_structure.SERVICE,
)


def check(services: Sequence[Service[Any]]) -> None:
    """Refuses services that could be confused with each other, and services that lack a part.

    Raises:
        ValueError: two services share a name or a settings key, a name or role is invalid, a help text is not a
            sentence, or a required setting does not exist.
    """
    check_names("two live services have the name", (each.name for each in services))
    # `google` and `google_images` share one settings class.
    kinds = dict.fromkeys(each.settings for each in services if each.settings)
    keys = (key for kind in kinds for key in kind.__annotations__)
    check_names("two live services have the settings key", keys)
    for each in services:
        whose = f"live service {each.name}"
        if not each.name.isidentifier():
            raise ValueError(f"{whose}: {each.name!r} is no name")
        if each.role not in ROLES:
            raise ValueError(f"{whose}: {each.role!r} is no role; there are {', '.join(ROLES)}")
        check_sentence(whose, each.help)
        own = each.settings.__annotations__ if each.settings else {}
        if missing := [key for key in each.required if key not in own]:
            raise ValueError(f"{whose}: it requires {missing[0]}, which its settings lack")


def services_by_name() -> dict[str, Service[Any]]:
    """The services, by the names that recipes use for them."""
    return {each.name: each for each in SERVICES}


check(SERVICES)
