"""What decides a weighted similarity beside the features and their weights."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from evalcore.features.synthetic.tolerance import LEVEL, N_RESAMPLES, QUANTILES, Missing, check_quantiles
from evalcore.features.synthetic.tversky import Undefined, check_sides
from evalcore.values.errors import SettingError

Archetype = Literal["tolerance", "each"]


@dataclass(frozen=True, slots=True)
class WsiSettings:
    """How subjects are held against archetypes.

    alpha, beta: weight of what only the subject has, and of what only the archetype has. quantiles: of the
    archetypes, the ends of each tolerance. archetype: "tolerance" is one archetype with every feature;
    "each" is every archetype image by itself, and a subject's value the mean over them. undefined: the value
    where there is nothing to count. missing: a feature that was not measured is left out ("skip") or counts
    as absent. level, n_resamples, seed: of the bootstrap intervals.
    """

    alpha: float = 1.0
    beta: float = 1.0
    quantiles: tuple[float, float] = QUANTILES
    archetype: Archetype = "tolerance"
    undefined: Undefined = "nan"
    missing: Missing = "skip"
    level: float = LEVEL
    n_resamples: int = N_RESAMPLES
    seed: int = 0

    def __post_init__(self) -> None:
        check_sides(self.alpha, self.beta, self.undefined)
        check_quantiles(self.quantiles)
        if self.archetype not in get_args(Archetype):
            raise SettingError("archetype", "tolerance or each", self.archetype)
        if self.missing not in get_args(Missing):
            raise SettingError("missing", "skip or absent", self.missing)
        if not 0 < self.level < 1:
            raise SettingError("level", "between 0 and 1", self.level)
        if self.n_resamples < 1:
            raise SettingError("n_resamples", "at least 1", self.n_resamples)

    def as_dict(self) -> dict[str, Any]:
        """For JSON output and for keys of caches."""
        return asdict(self)
