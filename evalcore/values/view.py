"""One look at a study: everything a reader chose that decides the numbers, the same on pages and commands."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from evalcore.values.settings import BY_SET, DROP, FLIPS, Correction, SameGroup, Settings, Unknown

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
        own = {LISTS.get(one.name, one.name): getattr(self, one.name) for one in fields(self)[:-1]}
        said = {name: list(value) if isinstance(value, tuple) else value for name, value in own.items()}
        chosen = {name: value for name, value in said.items() if value not in ("", [])}
        if not self.smallest_difference:
            del chosen["smallest_difference"]
        return {**chosen, **self.settings.as_dict()}

    def options(self) -> list[str]:
        """The same as options of a command, defaults left out.

        >>> View(metrics=("P(organ)@5",), baseline="hog", settings=Settings(gain="exp")).options()
        ['--metric', 'P(organ)@5', '--baseline', 'hog', '--set', 'gain=exp']
        """
        usual = View().as_dict()
        found: list[str] = []
        for name, value in self.as_dict().items():
            if value == usual.get(name):
                continue
            flag = f"--{name.replace('_', '-')}"
            for one in value if isinstance(value, list) else [value]:
                text = f"{one:g}" if isinstance(one, float) else str(one)
                found += ["--set", f"{name}={text.lower()}"] if name in BY_SET else [flag, text]
        return found


def command_line(*words: str) -> str:
    """Words as one line that a shell takes apart into the same words.

    >>> command_line("score", "my study", "--where", "concepts>=5")
    "python -m evalcore score 'my study' --where 'concepts>=5'"
    """
    return f"python -m evalcore {shlex.join(words)}"
