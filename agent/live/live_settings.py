"""Which live services a recipe asks and how: its part that names them. Keys are in the environment."""

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

KEY = "recipe key live"


def is_custom(kind: Any) -> bool:
    """Whether a kind names a service of another package: `module:SERVICE`, or an entry point of `questloom.services`."""
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
    """A service of another package.

    Raises:
        InputError: there is none, it is no `Service` with a role, or it has settings, for which a recipe has no keys.
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
    """What each service is for: its role, and its sentence."""
    return {each.name: f"({ROLES[each.role]}) {each.help}" for each in SERVICES}


OF_SERVICES: Any = make_dataclass(
    "OfServices",
    (),
    bases=tuple(dict.fromkeys(each.settings for each in SERVICES if each.settings)),
    frozen=True,
    kw_only=True,
)
"""The settings that single services add."""


@dataclass(frozen=True, kw_only=True)
class ServiceSettings(OF_SERVICES):  # type: ignore[misc]
    """One live service."""

    kind: Kind = field(metadata={"choices": service_helps})
    """Which service; one of another package by `module:SERVICE` (`examples/searxng.py`)."""
    address: str = ""
    """Without a path; "" for the public one."""
    key_env: str = ""
    """The environment variable that holds its keys: one, or several with commas between them."""
    price: float | None = None
    """Money a call; None is unknown, 0 free."""
    timeout: float = 30.0
    """Seconds until an attempt is given up."""
    max_in_flight: int = 8
    """Calls under way at once, over all workers."""
    requests_per_minute: float | None = None
    """Calls a minute at most; None is no limit."""

    @property
    def service(self) -> Service[Any]:
        """The service that `kind` names.

        Raises:
            InputError: see `custom_service`.
        """
        return custom_service(self.kind) if is_custom(self.kind) else services_by_name()[self.kind]

    @property
    def base(self) -> str:
        """The address that is asked."""
        return (self.address or self.service.address).rstrip("/")

    def pace(self) -> Pace:
        """What the service is asked to bear."""
        return Pace(self.max_in_flight, self.requests_per_minute)

    def money(self) -> Price | None:
        """The price of a call as the budget counts it: one token a call."""
        return None if self.price is None else Price(tokens_out=self.price * 1e6)

    def check(self, role: str) -> None:
        """Refuses settings that cannot work.

        Args:
            role: a key of `ROLES`: what the service is to do.

        Raises:
            InputError: the service cannot do that, has no usable address, or lacks a setting that it requires.
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
        """The keys from the environment, in their order.

        Raises:
            InputError: the service needs one and the variable holds none, or holds what no header may.
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
    """The live provider. A service that is None is not offered, and a tool that needs it says so."""

    text: ServiceSettings | None = None
    """Search of pages by words."""
    picture: ServiceSettings | None = None
    """Search by a picture."""
    words: ServiceSettings | None = None
    """Search of pictures by words."""
    reader: ServiceSettings | None = None
    """Pages by their address."""
    ocr: ServiceSettings | None = None
    """Text in pictures; None takes the built-in reader."""
    recording: str = "live"
    """Names the state of the web that was recorded; part of every cached call's key."""
    replay: bool = False
    """Answers from the recording only: nothing is sent, and no key is needed."""
    blocked_hosts: tuple[str, ...] = ("huggingface.co",)
    """Neither found nor visited, nor are their subdomains: benchmarks lie there with their answers."""
    allow_private: bool = False
    """Whether pictures may be fetched from private and loopback addresses; for tests and networks of one's own."""

    def services(self) -> dict[str, ServiceSettings]:
        """The services that are named, by their roles."""
        found = {role: getattr(self, role) for role in ROLES}
        return {role: service for role, service in found.items() if service is not None}

    @property
    def extensions(self) -> list[str]:
        """The identities of the services of other packages.

        Raises:
            InputError: one cannot be imported.
        """
        return [
            load_extension(service.kind, "services", KEY).identity
            for service in self.services().values()
            if is_custom(service.kind)
        ]

    def check(self) -> None:
        """Refuses services that cannot do what they are named for; looks for no key.

        Raises:
            InputError: see `ServiceSettings.check`.
        """
        for role, service in self.services().items():
            service.check(role)
