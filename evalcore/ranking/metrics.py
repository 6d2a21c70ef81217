"""A metric as a value (family, target, options), and its label: one parser, and labels that round-trip.

A metric is written FAMILY(what, option=value)@K: ``CUI@10``, ``P(modality&organ)@30``,
``nDCG(nn-iou,gain=exp)@10``, ``AP(organ)``, ``RBP(nn-iou,p=0.95)``,
``CAG-DCG(nn-iou,w=10)@50``. What readers or others judged is a relevance that every family takes:
``nDCG(qrels:NAME)@10``; so do hierarchical measures of any relevance, and of levels of
labels, the topmost first: ``HAP(levels(modality>organ),a=2)``.
``str(parse_metric(label))`` is the one canonical label, and parses to the same metric again. An option
of labels is a row of `OPTIONS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from evalcore.ranking.families import METRICS, MetricFamily
from evalcore.ranking.graded import WINDOW, ideal_of_labels
from evalcore.ranking.grid import PERSISTENCE
from evalcore.ranking.hierarchical import Area
from evalcore.relevance.registry import RELEVANCE, by_judgments, parse_relevance
from evalcore.values import plugins
from evalcore.values.arrays import Floats, Offsets
from evalcore.values.errors import SettingError, UnknownName
from evalcore.values.own_queries import PAIRS

_LABEL = re.compile(
    r"\s*([A-Za-z][A-Za-z0-9]*(?:-[A-Za-z][A-Za-z0-9]*)?)\s*(?:\((.*)\))?\s*(?:@\s*([^@()\s]+))?\s*",
    re.DOTALL,
)
_LEVELS = re.compile(r"levels\s*\((.*)\)", re.DOTALL)
_COMMA = re.compile(r",(?![^\[\]]*\])")
"""A comma outside the square brackets of a relevance."""
_BRACKETS = re.compile(r"\[[^\[\]]*\]")
SEVERAL_CUTOFFS = re.compile(r"(.*@)([^@()]*,[^@()]*)", re.DOTALL)
"""A label with several cutoffs, as in P(organ)@5,10: what stands before these, and they."""
_R_AT_K = re.compile(r"\s*R@([0-9]+)\s*")
"""R@K of papers on image-text retrieval: whether a matched item is among the first K."""
_ELSEWHERE = re.compile(r"([a-z]+(?:_[a-z]+)*)(?:_([0-9]+))?(\([^()]*\))?(?:@([0-9]+))?", re.IGNORECASE)
_NAMES_ELSEWHERE = {"map": "AP", "recip_rank": "RR", "mrr": "RR", "ndcg_cut": "nDCG", "precision": "P"}
"""What trec_eval and ranx call families that have another name here, or that they write with the cutoff."""
_FORM = "written like nDCG(nn-iou)@10, P(organ)@5 or CUI@10"

LabelMatch = Literal["any", "equal"]
About = Literal["labels", "levels", "relevance", "judgments"]


@dataclass(frozen=True, slots=True)
class Metric:
    """One measure with everything that decides its value, but for the study and the settings.

    Either ``relevance`` names a graded relevance or ``labels`` the label columns that must agree
    (all of them). ``match``: two images agree when they share a value, or only when their values are
    equal. ``gain`` None: as the settings say. ``persistence`` is RBP's p. ``window``: results whose
    context-aware gains count together, ``row``: images that stand side by side. ``only``: results nobody
    judged are passed over; ``rel``: the lowest grade that is relevant, None for that of the judgments.
    ``levels``: the columns are levels of a hierarchy, the topmost first, and results count by how many of
    them they share; ``power`` is H-AP's a, ``count_query`` whether the query counts among the images of the
    top level, ``area`` how AHP is a mean.
    """

    family: str
    relevance: str | None = None
    labels: tuple[str, ...] = ()
    cutoff: int | None = None
    gain: Literal["linear", "exp"] | None = None
    persistence: float | None = None
    match: LabelMatch = "any"
    window: int | None = None
    row: int = 1
    only: Literal["judged"] | None = None
    rel: float | None = None
    levels: bool = False
    power: float = 1.0
    count_query: Literal["yes", "no"] = "no"
    area: Area = "mean"

    def __str__(self) -> str:
        inside = [] if METRICS[self.family].fixed_relevance else [self.what]
        for option in OPTIONS.values():
            value = getattr(self, option.field)
            inside += [f"{option.name}={option.write(value)}"] if value != option.usual else []
        arguments = f"({','.join(inside)})" if inside else ""
        return f"{self.family}{arguments}" + (f"@{self.cutoff}" if self.cutoff else "")

    @property
    def what(self) -> str:
        """What stands in the brackets before the options: a relevance, or the label columns."""
        if self.levels:
            return f"levels({'>'.join(self.labels)})"
        return "&".join(self.labels) or str(self.relevance)


@dataclass(frozen=True, slots=True)
class Option:
    """An option of labels, as in ``gain=exp``: its name there, the ``field`` of Metric that it fills, and the
    value that labels do not name. Either one of a few ``words``, or a number that is ``allowed``, as the
    ``rule`` says. ``always``: the value where a label of a family that has the option names none. ``about``:
    what a measure is about whose value it can change; labels gain 1 or nothing, a relevance has no values to
    match."""

    name: str
    field: str
    usual: Any = None
    words: tuple[str, ...] = ()
    rule: str = "a whole number from 1 to 999999"
    allowed: Callable[[float], bool] | None = None
    always: float | None = None
    about: Sequence[About] = get_args(About)

    def read(self, text: str) -> Any:
        """The value of a text; SettingError for one that cannot be."""
        if self.words:
            if text not in self.words:
                raise SettingError(f"{self.name}=", f"one of {', '.join(self.words)}", text)
            return text
        if self.allowed is None:
            if not re.fullmatch(r"[0-9]{1,6}", text) or int(text) < 1:
                raise SettingError(f"{self.name}=", self.rule, text)
            return int(text)
        try:
            value = float(text)
        except ValueError:
            value = nan
        if not self.allowed(value):
            raise SettingError(f"{self.name}=", self.rule, text)
        return abs(value)

    def write(self, value: Any) -> Any:
        """The text of a value."""
        return value if self.words else repr(value).removesuffix(".0")


MOST_POWER = 20
"""H-AP's a, at most."""
_ROWS = (
    Option("gain", "gain", None, ("linear", "exp"), about=("levels", "relevance", "judgments")),
    Option(
        "p",
        "persistence",
        rule="a number above 0 and below 1",
        allowed=lambda p: 0 < p < 1,
        always=PERSISTENCE,
    ),
    Option("match", "match", "any", ("any", "equal"), about=("labels", "levels")),
    Option(
        "a",
        "power",
        1.0,
        rule=f"a number above 0, at most {MOST_POWER}",
        allowed=lambda a: 0 < a <= MOST_POWER,
        about=("levels",),
    ),
    Option("count_query", "count_query", "no", ("yes", "no"), about=("levels",)),
    Option("area", "area", "mean", ("mean", "trapezoid")),
    Option("w", "window", always=WINDOW),
    Option("row", "row", 1),
    Option("only", "only", None, ("judged",)),
    Option("rel", "rel", rule="a grade above 0, as in rel=2", allowed=lambda grade: 0 < grade < inf),
)
OPTIONS: Mapping[str, Option] = MappingProxyType({option.name: option for option in _ROWS})
"""The options of labels, in the order in which labels name them."""


_NOBODY = np.empty(0, np.int64)


class Target(NamedTuple):
    """What could have been found: the ideal gains (n, K), or the number of relevant candidates (n,).

    ``n_others``: candidates that are not relevant (n,). ``worth``: of each level to each query
    (n, levels + 1), where levels are weighed. What a family does not look at is left out.
    """

    ideal: Floats | None = None
    n_relevant: Offsets = _NOBODY
    n_others: Offsets = _NOBODY
    worth: Floats | None = None


ARGUMENTS: Mapping[str, Callable[[Target, Metric], Any]] = {
    "ideal": lambda target, metric: (
        ideal_of_labels(target.n_relevant, None if METRICS[metric.family].whole_ideal else metric.cutoff)
        if target.ideal is None
        else target.ideal
    ),
    "n_relevant": lambda target, _: target.n_relevant,
    "n_others": lambda target, _: target.n_others,
    "cutoff": lambda _, metric: metric.cutoff,
    "persistence": lambda _, metric: metric.persistence,
    "area": lambda _, metric: metric.area,
    "window": lambda _, metric: metric.window,
    "row": lambda _, metric: metric.row,
}
"""What a function may ask for by the names of its parameters."""


def parse_metric(label: str | Metric, columns: Collection[str] | None = None) -> Metric:
    """Which measure does a label name?

    Families are found whatever their case; spaces around the parts do not matter. Systems are looked up when
    a study is scored, not here. A Metric is returned as it is.

    ``columns``: the label columns of the study, which say what nDCG(organ) is about. Where they are not
    known (None), nDCG is by labels when its brackets hold no relevance, as in every label that a study was
    scored by. A label column that is called like a relevance cannot be meant by nDCG.

    Raises
    ------
    UnknownName
        No such family, or no such relevance.
    SettingError
        A missing or unusable part, with the form to use.

    Examples
    --------
    >>> parse_metric("P(modality&organ)@5").labels
    ('modality', 'organ')
    >>> str(parse_metric("rbp(nn-iou)"))
    'RBP(nn-iou,p=0.95)'
    """
    if isinstance(label, Metric):
        return label
    if field := _R_AT_K.fullmatch(label):
        label = f"Success({PAIRS})@{field[1]}"
    match = _LABEL.fullmatch(label)
    family = _family_of(match[1]) if match else None
    if match is None or family is None:
        if here := _as_written_here(label):
            raise SettingError("metric", f"written {here}", label)
        if match is None:
            raise SettingError("metric", _FORM, label)
        raise UnknownName("metric", match[1], METRICS)
    what, arguments = _arguments(family, match[2] or "")
    about, target = _target(family, what, label, columns)
    allowed = [name for name in family.options if about in OPTIONS[name].about]
    # What was judged can be all that counts, where it is not in any case; and where judgments are taken as
    # yes or no, the lowest grade that is relevant can be given.
    if about == "judgments" and not family.judged_only:
        allowed.append("only")
    if about == "judgments" and family.needs == "labels" and family.name != "Judged":
        allowed.append("rel")
    options: dict[str, Any] = {
        OPTIONS[name].field: OPTIONS[name].always for name in family.options if OPTIONS[name].always
    }
    for argument in arguments:
        name, _, value = (part.strip() for part in argument.partition("="))
        if name not in allowed:
            known = ", ".join(allowed) or "none"
            raise SettingError("metric", f"given an option of {family.name} ({known})", label)
        options[OPTIONS[name].field] = OPTIONS[name].read(value)
    cutoff = match[3]
    if (cutoff is not None and family.cutoff == "none") or (cutoff is None and family.cutoff == "required"):
        rule = "without a cutoff" if cutoff else "given a cutoff"
        raise SettingError("metric", f"{rule}, as in {family.example}", label)
    if cutoff and (not re.fullmatch(r"[0-9]{1,9}", cutoff) or int(cutoff) < 1):
        raise SettingError("cutoff", f"an integer >= 1, as in {family.example}", cutoff)
    return Metric(family.name, cutoff=int(cutoff) if cutoff else None, **target, **options)


def _as_written_here(label: str) -> str:
    """The label for a measure that is written as in trec_eval or ranx; "" for anything else.

    >>> _as_written_here("ndcg_cut_10(qrels:pool)"), _as_written_here("map"), _as_written_here("hardness")
    ('nDCG(qrels:pool)@10', 'AP(qrels:NAME)', '')
    """
    match = _ELSEWHERE.fullmatch(label.strip())
    family = match and _family_of(_NAMES_ELSEWHERE.get(match[1].lower(), match[1]))
    if not (match and family):
        return ""
    cutoff = match[2] or match[4]
    return f"{family.name}{match[3] or '(qrels:NAME)'}" + (f"@{cutoff}" if cutoff else "")


def family_of(label: str) -> MetricFamily | None:
    """The family that a canonical label names; None for what is no measure."""
    match = _LABEL.fullmatch(label)
    return METRICS.get(match[1]) if match else None


def lower_is_better(label: str) -> bool:
    """Whether a smaller value of a measure is the better one, as of ranks; False for what is no measure."""
    family = family_of(label)
    return family is not None and family.lower_is_better


def sign_of(label: str) -> int:
    """What makes the highest value of a measure the best one: -1 where lower is better, else 1."""
    return -1 if lower_is_better(label) else 1


def centre_of(label: str) -> Literal["mean", "median"]:
    """What the score of a measure is of its values per query."""
    family = family_of(label)
    return "mean" if family is None else family.centre


def _family_of(name: str) -> MetricFamily | None:
    """The family of this name, whatever its case; installed plugins are loaded where none has it."""
    for _ in range(2):
        if known := next((f for f in METRICS.values() if f.name.lower() == name.lower()), None):
            return known
        plugins.ready()
    return None


def _arguments(family: MetricFamily, text: str) -> tuple[list[str], list[str]]:
    """What stands in the brackets: (relevances or labels, options such as ``gain=exp``).

    A system of ``cosine:`` may be called anything: of its name are all but the options at the end, each once.
    """
    if not text.lstrip().startswith("cosine:"):
        parts = [part.strip() for part in _COMMA.split(text)] if text.strip() else []
        options = [part for part in parts if "=" in _BRACKETS.sub("", part)]
        return [part for part in parts if part not in options], options
    parts = [part.strip() for part in text.split(",")]
    end, left = len(parts), set(family.options)
    while end > 1 and (name := parts[end - 1].partition("=")[0].strip()) in left and "=" in parts[end - 1]:
        left.remove(name)
        end -= 1
    return [",".join(text.split(",")[:end]).strip()], parts[end:]


def _target(
    family: MetricFamily, what: list[str], label: str, columns: Collection[str] | None
) -> tuple[About, dict[str, Any]]:
    """What a metric is about, and the fields of the relevance or the label columns."""
    if family.fixed_relevance and what:
        raise SettingError("metric", f"without a relevance in brackets, as in {family.example}", label)
    if not family.fixed_relevance and len(what) != 1:
        kind = "its label columns joined by &" if family.needs == "labels" else "one relevance"
        raise SettingError("metric", f"given {kind} in brackets, as in {family.example}", label)
    name = family.fixed_relevance or what[0]
    if not family.fixed_relevance and not by_judgments(name):
        if match := _LEVELS.fullmatch(name):
            if not family.by_levels:
                known = ", ".join(f.name for f in METRICS.values() if f.by_levels)
                raise SettingError("metric", f"one with levels ({known})", label)
            rule = "joined by >, the topmost first, as in levels(modality>organ)"
            return "levels", {"labels": _columns(match[1], ">", rule, name), "levels": True}
        if family.needs == "labels" or (family.needs == "either" and _means_labels(name, columns)):
            return "labels", {"labels": _columns(name, "&", f"joined by &, as in {family.example}", name)}
    relevance = parse_relevance(name)
    return "relevance" if relevance.file is None else "judgments", {
        "relevance": family.fixed_relevance or str(relevance)
    }


def _columns(text: str, separator: str, rule: str, shown: str) -> tuple[str, ...]:
    """Names of label columns, each once."""
    names = tuple(name.strip() for name in text.split(separator))
    if not all(names) or len(set(names)) < len(names):
        raise SettingError("labels", f"different column names {rule}", shown)
    return names


def _means_labels(text: str, columns: Collection[str] | None) -> bool:
    """Whether brackets that may hold a relevance or label columns hold the latter."""
    try:
        parse_relevance(text)
    except UnknownName:
        if text.partition("[")[0] in RELEVANCE:
            raise
        if columns is None or all(part.strip() in columns for part in text.split("&")):
            return True
        if ":" in text or not columns:
            raise
        raise UnknownName("relevance or label column", text, [*RELEVANCE, *columns]) from None
    return False
