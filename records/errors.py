"""This module defines the kinds of errors.

* `InputError`: the user's input is wrong (a file, an option, a key). An `InputError` is raised
  before work starts. The command line prints an `InputError` and exits with code 2.
* `ProviderFault`: something outside this process failed, such as an endpoint, a query service or a
  bucket. The failed call is tried again. If the fault lasts, the item waits (its state is
  *pending*). An item is never rejected because of a `ProviderFault`.
* `BudgetExceeded`: the budget of the run is used up. The item waits, and the command exits with
  code 3.
* `questloom.records.outcomes.Rejection`: an item (such as a question) does not pass a check. A
  rejection is a record and not an exception.
* `assert`: an assumption of our own code turned out to be wrong. If an `assert` fails in a stage,
  the item is rejected with the reason `error`.
"""


class QuestloomError(Exception):
    """The base class of all errors that the command line prints as a short message."""


class InputError(QuestloomError, ValueError):
    """The user's input is wrong.

    Args:
        where: the file, the option or the key, as exactly as it is known ("dump.xml.bz2, byte
            1,024").
        what: what is wrong in this place.
        fix: what the user can do to correct it.
    """

    def __init__(self, where: str, what: str, fix: str) -> None:
        super().__init__(where, what, fix)
        self.where, self.what, self.fix = where, what, fix

    def __str__(self) -> str:
        return f"{self.where}: {self.what}. {self.fix}"


class ProviderFault(QuestloomError):
    """A call to a service failed, and the fault is not in our code.

    Args:
        provider: the name of the endpoint or the host. The name never contains a key.
        message: the reply or the error, shortened.
        status: the HTTP status; 0 if there was none (a timeout or a broken connection).
        retryable: whether the same call may succeed if it is tried again.
        retry_after: how many seconds the provider asked us to wait; None if it did not ask.
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
    """One more call would exceed the budget of the run in money, tokens or calls."""
