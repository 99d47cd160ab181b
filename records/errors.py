"""The error model, on one page.

* `InputError`: the user's input is wrong (file, option, key). An `InputError` is raised before work
  starts; the command line prints it and exits with 2.
* `ProviderFault`: something outside the process failed (endpoint, query service, bucket). The call
  is retried. If the fault lasts, the item stays *pending*; it is never a rejection.
* `BudgetExceeded`: the hard budget is used up. The item stays pending; the command exits with 3.
* `questloom.records.outcomes.Rejection`: an item of data does not pass. A rejection is data, not an
  exception.
* `assert`: an invariant of our own is broken. A failed `assert` in a stage becomes a rejection with
  reason `error`.
"""


class QuestloomError(Exception):
    """Base class of the errors that the command line knows how to print."""


class InputError(QuestloomError, ValueError):
    """The user's input is wrong.

    Args:
        where: the file, option or key, as precisely as known ("dump.xml.bz2, byte 1,024").
        what: what is wrong there.
        fix: what the user can do about it.
    """

    def __init__(self, where: str, what: str, fix: str) -> None:
        super().__init__(where, what, fix)
        self.where, self.what, self.fix = where, what, fix

    def __str__(self) -> str:
        return f"{self.where}: {self.what}. {self.fix}"


class ProviderFault(QuestloomError):
    """A call to a service failed, and our code did not cause the failure.

    Args:
        provider: the endpoint's or host's name, never a key.
        message: the reply or error text, shortened.
        status: the HTTP status, or 0 where there was none (timeout, cut connection).
        retryable: whether the same call may succeed later.
        retry_after: seconds that the provider asked us to wait; None where it did not ask.
    """

    def __init__(
        self,
        provider: str,
        message: str,
        *,
        status: int = 0,
        retryable: bool = True,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(provider, message)
        self.provider, self.message, self.status = provider, message, status
        self.retryable, self.retry_after = retryable, retry_after

    def __str__(self) -> str:
        return f"{self.provider}: {self.message}" + (
            f" (status {self.status})" if self.status else ""
        )

    def __reduce__(self):
        return (
            _provider_fault,
            (self.provider, self.message, self.status, self.retryable, self.retry_after),
        )


def _provider_fault(
    provider: str, message: str, status: int, retryable: bool, retry_after: float | None
) -> ProviderFault:
    return ProviderFault(
        provider, message, status=status, retryable=retryable, retry_after=retry_after
    )


class BudgetExceeded(QuestloomError):
    """The hard budget (money, tokens or calls) would be exceeded by this call."""
