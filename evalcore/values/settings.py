"""How relevance is computed and counted: one frozen value that every room receives."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, get_args

from evalcore.values.errors import SettingError, UnknownName

CountRule = Literal[
    "concepts", "concepts_full", "pairs", "pairs_all", "matching", "matching2", "query", "candidate"
]
Direction = Literal["undirected", "directed"]
Ties = Literal["id", "expected"]
Pool = Literal["labelled", "all"]
Undefined = Literal["skip", "zero"]
Gain = Literal["linear", "exp"]
Unknown = Literal["error", "zero", "drop"]
IntervalMethod = Literal["percentile", "bca", "wilson"]
Correction = Literal["holm", "bh", "maxt", "none"]
"""Of p-values, where several comparisons are made; no part of `Settings`, as it changes no score."""
FLIPS, MOST_FLIPS = 10_000, 10_000_000
"""Sign flips of a permutation test unless chosen otherwise, and the most that can be chosen."""
SameGroup = Literal["drop", "keep"]
"""Candidates of the query's own group: left out, or counted. A choice about a study (see `grouping`)."""
DROP, KEEP = get_args(SameGroup)

MAX_THRESHOLD = 4
_CHOICES = {
    "count_rule": CountRule,
    "direction": Direction,
    "ties": Ties,
    "pool": Pool,
    "undefined": Undefined,
    "gain": Gain,
    "interval": IntervalMethod,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options shared by the pages, the command line and the library.

    alpha: weight of a neighbour match, 0 to 1. threshold: largest graph distance (edges) that makes
    two concepts neighbours, 0 to 4. count_rule, direction: the reading of nn-IoU (arXiv
    2506.13509, Algorithm 1, Eq. 2 and 1). ties: by image id, or the exact expectation over random tie
    orders. pool: a label metric's images, those that carry the label or all. undefined: leave a
    query without a value out of the mean, or count it as 0. gain: linear, or 2^rel - 1.
    include_self: the query is among its own candidates. interval: of a mean over queries, by percentile or
    BCa bootstrap, or Wilson's for shares of 0/1 outcomes (differences keep the percentile bootstrap).
    """

    alpha: float = 0.5
    threshold: int = 1
    count_rule: CountRule = "concepts"
    direction: Direction = "undirected"
    ties: Ties = "id"
    pool: Pool = "labelled"
    undefined: Undefined = "skip"
    gain: Gain = "linear"
    include_self: bool = False
    interval: IntervalMethod = "percentile"

    def __post_init__(self) -> None:
        if not 0 <= self.alpha <= 1:
            raise SettingError("alpha", "a number from 0 to 1", self.alpha)
        if self.threshold not in range(MAX_THRESHOLD + 1):
            raise SettingError("threshold", f"an integer from 0 to {MAX_THRESHOLD}", self.threshold)
        for name, choices in _CHOICES.items():
            allowed = get_args(choices)
            if getattr(self, name) not in allowed:
                raise SettingError(name, f"one of {', '.join(allowed)}", getattr(self, name))

    @staticmethod
    def of(value: Settings | Mapping[str, Any] | None) -> Settings:
        """These settings, those of a mapping {name: value}, or the defaults for None.

        Raises
        ------
        UnknownName
            A key of the mapping is no setting; offers the nearest.
        SettingError
            A value out of range; or ``value`` is neither.
        """
        if isinstance(value, Settings):
            return value
        if value is not None and not isinstance(value, Mapping):
            rule = "Settings(...), or a mapping of their names to values"
            raise SettingError("settings", rule, value)
        names = [field.name for field in fields(Settings)]
        for name in value or {}:
            if name not in names:
                raise UnknownName("setting", str(name), names)
        return Settings(**(value or {}))

    def as_dict(self) -> dict[str, float | int | str | bool]:
        """For JSON output and cache keys."""
        return asdict(self)


def as_list(value: Any) -> list[Any]:
    """The items of a list; whatever is no list, and a text, is its only item.

    >>> as_list("nnCUI@10"), as_list(("hog", "texture"))
    (['nnCUI@10'], ['hog', 'texture'])
    """
    if isinstance(value, str) or not isinstance(value, Iterable):
        return [value]
    return list(value)


# One look at a study: everything a reader chose that decides the numbers, the same on pages and commands.

Queries = Literal["", "all", "common", "common-pool"]
"""What systems are compared over; "" for what is usual: see `evaluate.common_pool.usual`."""
LISTS = {"metrics": "metric", "systems": "system", "where": "where"}
"""Fields that hold several values, and the option that is given once for each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What a reader chose; the defaults are those of ``score``.

    metrics: labels. systems: names, ``@relevance`` among them; none: all of the study. baseline: "" for none.
    queries: see `Queries`. where: conditions that choose the queries. same_group: candidates of the query's
    own group. unknown: ids of runs that are in no concept set. correction: of p over the comparisons.
    smallest_difference: the one that matters, 0 for none named. level: of the intervals. seed: of resamples.
    flips: of the signs of differences, in permutation tests.
    """

    metrics: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    baseline: str = ""
    queries: Queries = ""
    where: tuple[str, ...] = ()
    same_group: SameGroup = DROP
    unknown: Unknown = "error"
    correction: Correction = "holm"
    smallest_difference: float = 0.0
    level: float = 0.95
    seed: int = 0
    flips: int = FLIPS
    settings: Settings = field(default_factory=Settings)

    def as_dict(self) -> dict[str, Any]:
        """Every choice by the name of its option, lists as lists; what was not chosen is left out."""
        own = {LISTS.get(field.name, field.name): getattr(self, field.name) for field in fields(self)[:-1]}
        values = {name: list(value) if isinstance(value, tuple) else value for name, value in own.items()}
        chosen = {name: value for name, value in values.items() if value not in ("", [])}
        if not self.smallest_difference:
            del chosen["smallest_difference"]
        return {**chosen, **self.settings.as_dict()}

    def options(self) -> list[str]:
        """The same as options of a command, defaults left out.

        >>> View(metrics=("P(organ)@5",), baseline="hog", settings=Settings(gain="exp")).options()
        ['--metric', 'P(organ)@5', '--baseline', 'hog', '--gain', 'exp']
        """
        usual = View().as_dict()
        options: list[str] = []
        for name, value in self.as_dict().items():
            if value == usual.get(name):
                continue
            flag = f"--{name.replace('_', '-')}"
            for item in value if isinstance(value, list) else [value]:
                text = f"{item:g}" if isinstance(item, float) else str(item)
                options += [flag] if isinstance(item, bool) else [flag, text]
        return options


def command_line(*words: str) -> str:
    """Words as one line that a shell takes apart into the same words.

    >>> command_line("score", "my study", "--where", "concepts>=5")
    "cuiscope score 'my study' --where 'concepts>=5'"
    """
    return f"cuiscope {shlex.join(words)}"
