"""The choices behind every number, each declared once: as a field with its help, bounds and label.

`Settings` says how relevance is computed and counted, `View` what else a reader chose. From a field come the
option of commands, the key of a settings file, the parameter of an address and the widget of the sidebar.
Features declare what theirs compute in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from math import inf
from numbers import Real
from typing import Any, Literal, get_args, get_origin, get_type_hints

from evalcore.values.errors import SettingError

CountRule = Literal[
    "concepts", "concepts_full", "pairs", "pairs_all", "matching", "matching2", "query", "candidate"
]
Direction = Literal["undirected", "directed"]
Unknown = Literal["error", "zero", "drop"]
Correction = Literal["holm", "bh", "none"]
"""Of p-values, where several comparisons are made; no part of `Settings`, as it changes no score."""
SameGroup = Literal["drop", "keep"]
"""Candidates of the query's own group: left out, or counted. A choice about a study (see `grouping`)."""
DROP, KEEP = get_args(SameGroup)
FLIPS = 10_000
"""Sign flips of a permutation test unless chosen otherwise."""
MAX_THRESHOLD = 4
MOST_SEED = 2**63 - 1
RELEVANCE, STATISTICS, CANDIDATES = "Relevance", "Statistics", "Queries and candidates"
"""Headings of the options in the help of a command."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """What a choice means, wherever it is offered.

    kind: a `Literal` of its values, or float, int, bool, str, tuple (of texts). help: of the option and of
    the widget. heading: in the help of a command. label: of the widget, and what warnings of pages call it.
    low, high: bounds of a number, themselves allowed unless ``open``. shown: what widgets show for a value;
    they offer these alone. metavar: of its value. name: of the option and of the key of a settings file; of
    the field where no other is declared. short: the option in one letter.
    """

    kind: Any
    default: Any
    name: str
    help: str
    heading: str = ""
    label: str = ""
    low: float = -inf
    high: float = inf
    open: bool = False
    shown: Mapping[str, str] = field(default_factory=dict)
    metavar: str | None = None
    short: str = ""

    @property
    def flag(self) -> str:
        """The option of commands."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def values(self) -> tuple[str, ...]:
        """What can be chosen, where that is one of some names."""
        return tuple(value for value in get_args(self.kind) if value)

    @property
    def rule(self) -> str:
        """What a value must be, in words.

        >>> OPTIONS["alpha"].rule, OPTIONS["level"].rule, OPTIONS["flips"].rule
        ('a number from 0 to 1', 'a number between 0 and 1', 'a whole number from 1 to 10,000,000')
        """
        if self.values:
            return f"one of {', '.join(self.values)}"
        if self.kind not in (int, float):
            return {bool: "true or false", str: "a text", tuple: "a list of texts"}[self.kind]
        number = "a whole number" if self.kind is int else "a number"
        if self.high >= MOST_SEED:
            return f"{number} from {self.low:,} on"
        between = "between {} and {}" if self.open else "from {} to {}"
        return f"{number} {between.format(f'{self.low:,}', f'{self.high:,}')}"

    def allows(self, value: Any) -> bool:
        """Whether a value can be chosen; any whole number counts as a number, and the reverse."""
        if names := get_args(self.kind):
            return value in names
        if self.kind not in (int, float):
            return isinstance(value, self.kind)
        if not isinstance(value, Real):
            return False
        number = float(value)
        inside = self.low < number < self.high if self.open else self.low <= number <= self.high
        return inside and number < inf and (self.kind is float or number == int(number))


def option(default: Any, help: str, **more: Any) -> Any:
    """A field that is a choice, whose kind is its type; ``more``: see `Option`."""
    return field(default=default, metadata={"help": help, **more})


def check_choices(value: Any) -> None:
    """Raise SettingError for the first field with a value that cannot be chosen."""
    for name, choice in options_of(type(value)).items():  # type: ignore[arg-type]
        if not choice.allows(getattr(value, name)):
            raise SettingError(name, choice.rule, getattr(value, name))


@cache
def options_of(kind: type) -> Mapping[str, Option]:
    """The choices of a class by field; a widget of names shows them as they are by default."""
    hints, options = get_type_hints(kind), {}
    for each in fields(kind):
        if about := each.metadata:
            hint = hints[each.name]
            chosen = tuple if get_origin(hint) is tuple else hint
            more = {"name": each.name, "shown": {name: name for name in get_args(chosen)}, **about}
            options[each.name] = Option(kind=chosen, default=each.default, **more)
    return options


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How relevance is computed and counted: one value that every room receives; each field says what it is.

    count_rule, direction: the reading of nn-IoU (arXiv 2506.13509, Algorithm 1, Eq. 2 and 1). interval: of a
    mean over queries; differences keep the percentile bootstrap.

    Raises SettingError for a value that cannot be chosen.
    """

    alpha: float = option(
        0.5,
        "Weight of a neighbour match in nn-IoU. 0: only identical concepts count. 1: a close relative counts "
        "like the same concept.",
        low=0,
        high=1,
        heading=RELEVANCE,
        label="Credit for related concepts (α)",
    )
    threshold: int = option(
        1,
        "Largest distance in the graph, in links between two concepts, that makes them neighbours.",
        low=0,
        high=MAX_THRESHOLD,
        heading=RELEVANCE,
        label="Maximum distance for “related” (steps)",
    )
    count_rule: CountRule = option(
        "concepts",
        "How neighbour matches are counted: interpretations of the paper's Algorithm 1.",
        heading=RELEVANCE,
        label="Count rule of nn-IoU",
    )
    direction: Direction = option(
        "undirected",
        "Directed: one concept must be an ancestor of the other. Differs from 2 steps on.",
        heading=RELEVANCE,
        label="Direction of steps",
    )
    ties: Literal["id", "expected"] = option(
        "id",
        "Of one system's results with equal scores: in the order of image ids, or the exact mean over all "
        "orders.",
        heading=RELEVANCE,
        label="Equal scores",
        shown={"id": "In order of image ids", "expected": "Averaged over all orders"},
    )
    pool: Literal["labelled", "all"] = option(
        "labelled", "Label metrics: only images with the label, or all candidates.", heading=RELEVANCE
    )
    undefined: Literal["skip", "zero"] = option(
        "skip",
        "Queries without a value. skip: left out of the mean and counted. zero: counted as 0.",
        heading=RELEVANCE,
        label="Queries without a value",
    )
    gain: Literal["linear", "exp"] = option(
        "linear",
        "In discounted measures. linear: the relevance itself. exp: 2^relevance - 1.",
        heading=RELEVANCE,
        label="Gain",
    )
    include_self: bool = option(False, "Let a query be among its own candidates.", heading=CANDIDATES)
    interval: Literal["percentile", "bca"] = option(
        "percentile",
        "Interval of a mean: bootstrap over the queries by percentiles, or corrected for bias and skew "
        "(BCa).",
        heading=STATISTICS,
        label="Intervals",
    )

    __post_init__ = check_choices  # type: ignore[misc]

    def as_dict(self) -> dict[str, float | int | str | bool]:
        """For JSON output and cache keys."""
        return asdict(self)


def settings_of(value: Settings | None) -> Settings:
    """These settings, the defaults for None; SettingError for anything else, such as a mapping."""
    if value is not None and not isinstance(value, Settings):
        raise SettingError("settings", "of the kind Settings, such as Settings(alpha=0.3)", value)
    return value or Settings()


def as_list(value: Any) -> list[Any]:
    """The items of a list; whatever is no list, and a text, is its only item.

    >>> as_list("nnCUI@10"), as_list(("hog", "texture"))
    (['nnCUI@10'], ['hog', 'texture'])
    """
    if isinstance(value, str) or not isinstance(value, Iterable):
        return [value]
    return list(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One look at a study: everything a reader chose that decides the numbers, on pages and commands.

    Each field says what it is. metrics: labels. systems: none for all of the study. baseline: "" for none.
    queries: "" for what is usual, see `evaluate.common_pool.Shared`. correction: of p over the
    comparisons.

    Raises SettingError for a value that cannot be chosen.
    """

    metrics: tuple[str, ...] = option(
        (),
        "A metric, such as nnCUI@10 or P(organ)@5: `metrics` lists all. Repeat for several.",
        name="metric",
        label="Measure",
        metavar="M",
        short="-m",
    )
    systems: tuple[str, ...] = option(
        (),
        "A system: a folder of systems/, a run file or pattern of run files, @ and "
        "a relevance to rank by (@iou, @cosine:NAME), or several fused (rrf:A+B). "
        "Repeat for several; default: all systems of the study.",
        name="system",
        label="Systems",
        metavar="S",
        short="-s",
    )
    baseline: str = option(
        "",
        "Compare the others with this: a system, fixed before you look at scores. Default: "
        "that of study.toml; without one they are compared with the best of each metric.",
        heading=STATISTICS,
        label="Baseline",
        metavar="S",
    )
    queries: Literal["", "all", "common", "common-pool"] = option(
        "",
        "all: every query, unanswered ones count 0. common: those that every system answers. common-pool: "
        "these, and only candidates that every system searches; the default where the systems search "
        "different images, else all.",
        heading=CANDIDATES,
        label="Queries counted",
        shown={"all": "All", "common": "Common", "common-pool": "Pool"},
    )
    where: tuple[str, ...] = option(
        (),
        "Only queries with this; candidates are unchanged. A label: organ=chest, organ=chest|abdomen "
        "(either), organ!=chest, organ= (none). A kind of query: kind=text. A direction of pairs: "
        "direction=image->text. Repeat: all must apply. Quote it, as in --where 'organ=chest|abdomen'.",
        heading=CANDIDATES,
        label="Only queries with",
        metavar="CONDITION",
    )
    same_group: SameGroup = option(
        DROP,
        "Candidates of the query's own group, if the study names groups: left out, or not.",
        heading=CANDIDATES,
        label="Results of the query’s own group",
        shown={DROP: "Left out", KEEP: "Counted"},
    )
    unknown: Unknown = option(
        "error",
        "Ids in runs that no concept set contains: error, kept with relevance 0, left out.",
        heading=CANDIDATES,
    )
    correction: Correction = option(
        "holm",
        "Correction of p over comparisons: Holm bounds the chance of even one false alarm, "
        "Benjamini-Hochberg the share of false alarms; or none.",
        heading=STATISTICS,
        label="Correction of p",
        shown={"holm": "Holm", "bh": "Benjamini-Hochberg", "none": "none"},
    )
    smallest_difference: float = option(
        0.0,
        "The smallest difference that matters to you, in units of the measure; 0 for none. Verdicts say "
        "whether a difference is beyond it, too small to matter, or whether that remains open, and what "
        "these queries can detect.",
        low=0,
        heading=STATISTICS,
        label="Smallest difference that matters",
        metavar="D",
    )
    level: float = option(0.95, "Level of the intervals.", low=0, high=1, open=True, heading=STATISTICS)
    seed: int = option(
        0, "Seed of random draws: resamples and flips.", low=0, high=MOST_SEED, heading=STATISTICS
    )
    flips: int = option(
        FLIPS,
        "Sign flips of the permutation tests: p cannot be less than 1 / (flips + 1), before its correction. "
        "Ten times as many take about ten times as long.",
        low=1,
        high=10_000_000,
        heading=STATISTICS,
        label="Sign flips of the tests",
        metavar="N",
    )
    settings: Settings = field(default_factory=Settings)

    __post_init__ = check_choices  # type: ignore[misc]

    def as_dict(self) -> dict[str, Any]:
        """Every choice by the name of its option, lists as lists; what was not chosen is left out."""
        own = {choice.name: getattr(self, name) for name, choice in options_of(View).items()}
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


OPTIONS: Mapping[str, Option] = {**options_of(View), **options_of(Settings)}
"""Every choice by the name of its field."""


def view_of(choices: Mapping[str, Any]) -> View:
    """The view of choices by the names of their fields; what is not there, or None, is as usual.

    Raises SettingError for a value that cannot be chosen.
    """
    chosen = {name: value for name, value in choices.items() if value is not None}
    of_settings = {name: chosen.pop(name) for name in options_of(Settings) if name in chosen}
    chosen |= {name: tuple(as_list(chosen[name])) for name in chosen if OPTIONS[name].kind is tuple}
    return View(**chosen, settings=Settings(**of_settings))
