"""A hard limit on spending, in money, tokens or calls. All runs of one folder, and all their
processes, share the budget.

One transaction writes the ledger row of a call and reserves the highest possible cost of the call.
When the call ends, its real cost replaces the reserved cost. Therefore calls that run at the same
time cannot exceed the budget together. Spending can exceed the budget only if the estimated number
of input tokens is too low.
"""

from dataclasses import dataclass

from questloom.calls.request import Price
from questloom.records.errors import InputError


@dataclass(frozen=True, slots=True)
class Spend:
    """An amount of money, tokens and calls that were spent. Calls of unknown price add no money."""

    money: float = 0.0
    tokens: int = 0
    calls: int = 0

    def __add__(self, other: "Spend") -> "Spend":
        return Spend(self.money + other.money, self.tokens + other.tokens, self.calls + other.calls)

    def __sub__(self, other: "Spend") -> "Spend":
        return Spend(self.money - other.money, self.tokens - other.tokens, self.calls - other.calls)


@dataclass(frozen=True, slots=True)
class Budget:
    """The hard limits on spending. None means no limit."""

    money: float | None = None
    tokens: int | None = None
    calls: int | None = None

    def breach(self, spent: Spend) -> str:
        """Returns the limit that `spent` exceeds, in words. The text is empty if no limit is
        exceeded.
        """
        for name, limit in (("money", self.money), ("tokens", self.tokens), ("calls", self.calls)):
            # A sum of float prices may miss an exact limit by its last digits.
            if limit is not None and getattr(spent, name) > limit * (1 + 1e-12):
                return f"the budget of {limit:g} {name}"
        return ""

    def check_price(self, provider: str, model: str, price: Price | None) -> None:
        """Refuses a call whose price is unknown if the budget limits money.

        Raises:
            InputError: the budget limits money, and the price of the call is None.
        """
        if self.money is not None and price is None:
            raise InputError(
                f"endpoint {provider}, model {model}",
                "its price is unknown, so a budget in money cannot be held",
                "State its price for a million tokens (0 for a server of your own), or set a budget in tokens or calls.",
            )
