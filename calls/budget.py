"""The hard budget: in money, tokens or calls, over all runs of one folder and all its processes.

The highest cost of a call is reserved before the call is sent, in the transaction that writes its ledger row. When the call is settled, its
real cost replaces the reservation. Calls in flight together can therefore not pass the budget; only an input whose
tokens were estimated too low can, by the error of that estimate.
"""

from dataclasses import dataclass

from questloom.calls.request import Price
from questloom.records.errors import InputError


@dataclass(frozen=True, slots=True)
class Spend:
    """Money, tokens and calls. Calls of unknown price add no money."""

    money: float = 0.0
    tokens: int = 0
    calls: int = 0

    def __add__(self, other: "Spend") -> "Spend":
        return Spend(self.money + other.money, self.tokens + other.tokens, self.calls + other.calls)

    def __sub__(self, other: "Spend") -> "Spend":
        return Spend(self.money - other.money, self.tokens - other.tokens, self.calls - other.calls)


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits that are never passed; None is no limit."""

    money: float | None = None
    tokens: int | None = None
    calls: int | None = None

    def breach(self, spent: Spend) -> str:
        """Which limit `spent` passes, in words; "" for none."""
        for name, limit in (("money", self.money), ("tokens", self.tokens), ("calls", self.calls)):
            # A float sum of prices may miss an exact limit by its last digits.
            if limit is not None and getattr(spent, name) > limit * (1 + 1e-12):
                return f"the budget of {limit:g} {name}"
        return ""

    def check_price(self, provider: str, model: str, price: Price | None) -> None:
        """Refuses to start with a money budget that an unknown price would make meaningless.

        Raises:
            InputError: there is a money budget and the price is None.
        """
        if self.money is not None and price is None:
            raise InputError(
                f"endpoint {provider}, model {model}",
                "its price is unknown, so a budget in money cannot be held",
                "State its price for a million tokens (0 for a server of your own), or set a budget in tokens or calls.",
            )
