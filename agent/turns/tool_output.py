"""Types for what a tool returns to the tool box: text and pictures, or a fault with a status and a
code."""

from dataclasses import dataclass

from questloom.calls.attempts import Status
from questloom.calls.retry import CallFault
from questloom.records.episodes import ToolStatus
from questloom.records.errors import ProviderFault


@dataclass(frozen=True, kw_only=True)
class NewPicture:
    """A picture that goes into the image bank. In an output, the model sees the picture with its
    handle (number) and size."""

    data: bytes
    url: str = ""
    title: str = ""
    made: bool = False
    """Whether a tool made the picture, usually from the picture that the call names (the
    parent)."""
    box: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Output:
    """The output of a successful call: lines of text and pictures in reading order. An output
    contains no picture handles, so it can be cached for other episodes."""

    parts: tuple[str | NewPicture, ...]
    code: str = ""
    """"no_effect" or "no_results" if the call was correct but gave no result; otherwise ""."""
    cost: float = 0.0
    seconds: float = 0.0

    @property
    def num_bytes(self) -> int:
        """The approximate size of the output in memory, in bytes."""
        return sum(
            len(part.data) if isinstance(part, NewPicture) else len(part) for part in self.parts
        )


def no_effect(why: str) -> Output:
    """An output without a picture, which says that the tool changed nothing."""
    return Output(parts=(f"No effect: {why}. No new picture was made.",), code="no_effect")


def no_results(what: str) -> Output:
    """Makes the output of a search without hits."""
    return Output(parts=(f"No results: {what}.",), code="no_results")


class ToolFault(Exception):
    """A failed tool call. Tools and providers raise this exception; only the tool box catches it.

    Args:
        status: who caused the fault.
        code: a word that names the fault in tests and reports.
        text: text for the model, in our own words; it never quotes a service.
        parts: results that came before the fault, such as output up to a limit, and figures.
    """

    def __init__(
        self, status: ToolStatus, code: str, text: str, parts: tuple[str | NewPicture, ...] = ()
    ) -> None:
        super().__init__(text)
        self.status, self.code, self.text, self.parts = status, code, text, parts


def model_fault(code: str, text: str) -> ToolFault:
    """Makes the fault for a wrong call by the model. The text says how to correct the call."""
    return ToolFault(ToolStatus.MODEL_FAULT, code, text)


def provider_fault(code: str, text: str) -> ToolFault:
    """Makes the fault for a service that failed."""
    return ToolFault(ToolStatus.PROVIDER_FAULT, code, text)


_BY_KIND = {
    Status.TIMEOUT: ("timeout", "did not answer in time"),
    Status.CUT: ("unreachable", "broke the connection"),
    Status.UNREACHABLE: ("unreachable", "cannot be reached"),
    Status.RATE_LIMITED: ("rate_limited", "takes no more requests for now"),
    Status.SERVER_ERROR: ("server_error", "failed"),
    Status.NOT_ACCEPTED: ("refused", "did not accept the request"),
    Status.BAD_RESPONSE: ("garbage", "sent something that is no answer"),
}


def of_provider(fault: ProviderFault) -> ToolFault:
    """Turns a failed call to a service into a fault. The service's error text is left out, because
    it is untrusted."""
    code, words = (
        _BY_KIND.get(fault.kind, ("server_error", "failed"))
        if isinstance(fault, CallFault)
        else ("server_error", "failed")
    )
    if fault.status in (401, 402, 403):
        code, words = "credentials", "did not accept the credentials"
    return provider_fault(
        code,
        f"The tool failed: its service ({fault.provider}) {words}. The call itself was not at fault.",
    )
