"""The hard budget in money, tokens or calls. All runs of one folder, and all their processes, share the budget.

The transaction that writes a call's ledger row also reserves the call's highest cost. When the call
is settled, its real cost replaces the reservation. So calls in flight together cannot exceed the
budget. Only an input whose tokens were estimated too low can exceed the budget, by the error of the
estimate.
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
    """Hard limits of the spend; None means no limit."""

    money: float | None = None
    tokens: int | None = None
    calls: int | None = None

    def breach(self, spent: Spend) -> str:
        """The limit that `spent` exceeds, in words; "" if it exceeds none."""
        for name, limit in (("money", self.money), ("tokens", self.tokens), ("calls", self.calls)):
            # A sum of float prices may miss an exact limit by its last digits.
            if limit is not None and getattr(spent, name) > limit * (1 + 1e-12):
                return f"the budget of {limit:g} {name}"
        return ""

    def check_price(self, provider: str, model: str, price: Price | None) -> None:
        """Refuses a call of unknown price when there is a budget in money.

        Raises:
            InputError: there is a money budget and the price is None.
        """
        if self.money is not None and price is None:
            raise InputError(
                f"endpoint {provider}, model {model}",
                "its price is unknown, so a budget in money cannot be held",
                "State its price for a million tokens (0 for a server of your own), or set a budget in tokens or calls.",
            )
