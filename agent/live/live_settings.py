"""The section of a recipe (a settings file) that names live web services. The access keys of the
services are in environment variables, not in the recipe."""

import os
from dataclasses import dataclass, field, make_dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import PlainSerializer, WrapValidator

from questloom.agent.live.services.registry import SERVICES, check, services_by_name
from questloom.agent.live.services.service import ROLES, Service
from questloom.calls.pacing import Pace
from questloom.calls.request import Price
from questloom.files.extensions import is_extension, load_extension
from questloom.records.errors import InputError

KEY = "recipe key teach.live"


def is_custom(kind: Any) -> bool:
    """Whether a `kind` names a service of another package. The name of a service of another package
    is `module:SERVICE`, or an entry point of the group `questloom.services`."""
    return (
        isinstance(kind, str) and kind not in services_by_name() and is_extension(kind, "services")
    )


if TYPE_CHECKING:
    Kind = str
else:
    Kind = Annotated[
        Literal[tuple(services_by_name())],
        WrapValidator(lambda kind, known: kind if is_custom(kind) else known(kind)),
        PlainSerializer(str, return_type=str),
    ]


def custom_service(named: str) -> Service[Any]:
    """Imports a service from another package.

    Raises:
        InputError: the service does not exist, is not a `Service` with a role, or defines
            additional settings, which recipes cannot set.
    """
    found, where = load_extension(named, "services", KEY).object, f"{KEY}: {named}"
    fix = "Make it a `Service` without settings of its own; see examples/searxng.py."
    if not isinstance(found, Service) or found.settings or found.required:
        raise InputError(where, f"is {found!r}", fix)
    try:
        check((*SERVICES, found))
    except ValueError as error:
        raise InputError(where, str(error), fix) from error
    return found


def service_helps() -> dict[str, str]:
    """The roles that services can have, each with a help text."""
    return {each.name: f"({ROLES[each.role]}) {each.help}" for each in SERVICES}


OF_SERVICES: Any = make_dataclass(
    "OfServices",
    (),
    bases=tuple(dict.fromkeys(each.settings for each in SERVICES if each.settings)),
    frozen=True,
    kw_only=True,
)
"""The additional settings that only some services have."""


@dataclass(frozen=True, kw_only=True)
class ServiceSettings(OF_SERVICES):  # type: ignore[misc]
    """Settings of one live service."""

    kind: Kind = field(metadata={"choices": service_helps})
    """Name of the service; `module:SERVICE` for a service of another package (`examples/searxng.py`)."""
    address: str = ""
    """Address of the server without a path; "" for the service's public address."""
    key_env: str = ""
    """Name of the environment variable that holds the service's access keys, separated by
    commas."""
    price: float | None = None
    """Price of a call in money; None for unknown, 0 for free."""
    timeout: float = 30.0
    """Timeout of one attempt in seconds."""
    max_in_flight: int = 8
    """Maximum number of calls at once, over all workers."""
    requests_per_minute: float | None = None
    """Maximum number of calls per minute; None for no limit."""

    @property
    def service(self) -> Service[Any]:
        """Finds the service that the setting `kind` names.

        Raises: InputError: the service cannot be imported, see `custom_service`.
        """
        return custom_service(self.kind) if is_custom(self.kind) else services_by_name()[self.kind]

    @property
    def base(self) -> str:
        """The address that the requests are sent to."""
        return (self.address or self.service.address).rstrip("/")

    def pace(self) -> Pace:
        """The maximum rate of calls to the service, and how many may run at once."""
        return Pace(self.max_in_flight, self.requests_per_minute)

    def money(self) -> Price | None:
        """The price of a call, in the form that the budget needs: a price per token, where each
        call counts as one token."""
        return None if self.price is None else Price(tokens_out=self.price * 1e6)

    def check(self, role: str) -> None:
        """Refuses settings that cannot work.

        Args:
            role: the role that the recipe gives the service; a key of `ROLES`.

        Raises:
            InputError: the service has another role, its address is unusable, or a required setting is missing.
        """
        where = f"live.{role}"
        if self.service.role != role:
            raise InputError(
                f"{where}.kind",
                f"{self.kind} cannot do that",
                f"Take one of: {', '.join(each.name for each in SERVICES if each.role == role)}.",
            )
        parts = urlsplit(self.base)
        if (
            parts.scheme not in ("http", "https")
            or not parts.hostname
            or parts.username
            or parts.query
            or parts.fragment
        ):
            raise InputError(
                f"{where}.address",
                f"{self.base or 'nothing'} is no plain http:// or https:// address",
                "Give the service's address.",
            )
        for name in self.service.required:
            if not getattr(self, name):
                raise InputError(
                    f"{where}.{name}", f"is empty, and {self.kind} needs it", "Set it."
                )

    def keys(self, where: str) -> tuple[str, ...]:
        """Reads the keys of the service from the environment variable, in the order given there.

        Raises:
            InputError: the service needs a key and the variable is empty, or a key contains characters that HTTP
                headers do not allow.
        """
        keys = (
            tuple(
                dict.fromkeys(
                    k
                    for k in (part.strip() for part in os.environ.get(self.key_env, "").split(","))
                    if k
                )
            )
            if self.key_env
            else ()
        )
        if not keys and (self.key_env or self.service.needs_key):
            raise InputError(
                f"{where}.key_env",
                f"the environment variable {self.key_env or '(none is named)'} holds no key",
                "Name a variable and set it to the key, or to several parted by commas.",
            )
        if any(not key.isascii() or not key.isprintable() or " " in key for key in keys):
            raise InputError(
                f"{where}.key_env",
                f"a key in {self.key_env} holds characters that no HTTP header may",
                "Set it to the keys alone, in plain ASCII, parted by commas.",
            )
        return keys


@dataclass(frozen=True, kw_only=True)
class LiveSettings:
    """The services of the live provider. A role may have no service (None). A tool that needs the
    role then reports that the service is missing."""

    text: ServiceSettings | None = None
    """Service that searches pages by words."""
    picture: ServiceSettings | None = None
    """Service that takes a picture and finds pages with it."""
    words: ServiceSettings | None = None
    """Service that searches pictures by words."""
    reader: ServiceSettings | None = None
    """Service that fetches pages by address."""
    ocr: ServiceSettings | None = None
    """Service that reads text in pictures; None uses the built-in reader."""
    recording: str = "live"
    """Name of the recording of a run's web replies. Runs with the same name share cached
    replies."""
    replay: bool = False
    """Whether all replies come from the recording; if so, nothing is sent and no key is needed."""
    blocked_hosts: tuple[str, ...] = ("huggingface.co",)
    """Hosts, with their subdomains, that no search returns and no visit opens. The default hosts
    publish benchmarks with their answers."""
    allow_private: bool = False
    """Whether pictures may be downloaded from private and loopback addresses, for tests and private networks."""

    def services(self) -> dict[str, ServiceSettings]:
        """The services that the recipe names, by role."""
        found = {role: getattr(self, role) for role in ROLES}
        return {role: service for role, service in found.items() if service is not None}

    @property
    def extensions(self) -> list[str]:
        """The names and versions of the services that come from other packages.

        Raises:
            InputError: a service cannot be imported.
        """
        return [
            load_extension(service.kind, "services", KEY).identity
            for service in self.services().values()
            if is_custom(service.kind)
        ]

    def check(self) -> None:
        """Refuses services that do not fit their role. The check does not need the services' keys.

        Raises: InputError: a service does not fit, see `ServiceSettings.check`.
        """
        for role, service in self.services().items():
            service.check(role)
