"""What a tool hands to the tool box: text and pictures, or a fault with a status and a code."""

from dataclasses import dataclass

from questloom.calls.attempts import Status
from questloom.calls.retry import CallFault
from questloom.records.episodes import ToolStatus
from questloom.records.errors import ProviderFault


@dataclass(frozen=True, kw_only=True)
class NewPicture:
    """A picture for the bank; where it stands among the parts of an output, the model reads its handle and size."""

    data: bytes
    url: str = ""
    title: str = ""
    made: bool = False
    """Whether a tool made it; from the picture that the call names, where it names one."""
    box: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Output:
    """A call that went through: lines of text and pictures in reading order. It holds no handle, so it can be cached."""

    parts: tuple[str | NewPicture, ...]
    code: str = ""
    """"no_effect" or "no_results", where the call was right and brought nothing."""
    cost: float = 0.0
    seconds: float = 0.0

    @property
    def num_bytes(self) -> int:
        """About what it takes in memory."""
        return sum(
            len(part.data) if isinstance(part, NewPicture) else len(part) for part in self.parts
        )


def no_effect(why: str) -> Output:
    """Nothing was done; said plainly and without a picture."""
    return Output(parts=(f"No effect: {why}. No new picture was made.",), code="no_effect")


def no_results(what: str) -> Output:
    """The search went through and found nothing."""
    return Output(parts=(f"No results: {what}.",), code="no_results")


class ToolFault(Exception):
    """A call that did not go through. Raised by tools and providers, caught by the tool box only.

    Args:
        status: whose doing it is.
        code: a word that tests and reports name it by.
        text: what the model reads; our own words, never a service's.
        parts: what there is all the same (output up to a limit, figures).
    """

    def __init__(
        self, status: ToolStatus, code: str, text: str, parts: tuple[str | NewPicture, ...] = ()
    ) -> None:
        super().__init__(text)
        self.status, self.code, self.text, self.parts = status, code, text, parts


def model_fault(code: str, text: str) -> ToolFault:
    """The call was wrong; the text says how to mend it."""
    return ToolFault(ToolStatus.MODEL_FAULT, code, text)


def provider_fault(code: str, text: str) -> ToolFault:
    """A service failed."""
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
    """The tool's fault for a call that left the process and failed. The service's own words are left out: they are not trusted."""
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
