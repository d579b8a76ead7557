"""How intervals are made: by drawing the units of an experiment again, with replacement."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How to resample: the same seed gives the same resamples."""

    resamples: int = 1000
    seed: int = 0
    level: float = 0.95

    def __post_init__(self) -> None:
        """Refuse what gives no interval."""
        if self.resamples < 1 or not 0 < self.level < 1:
            raise ValueError("an interval needs resamples, and a level between 0 and 1")
