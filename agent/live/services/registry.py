"""The live services, in the order in which the reference lists them. A service is added here, and in a file of its own."""

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
    """Refuses services that would be mistaken for each other, or that lack something.

    Raises:
        ValueError: two have a name or a settings key in common, a name or a role is none, the help is no sentence, or a
            required setting is none of the service's.
    """
    check_names("two live services have the name", (each.name for each in services))
    # `google` and `google_images` have one class of settings.
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
    """The services by the names that recipes write."""
    return {each.name: each for each in SERVICES}


check(SERVICES)
