"""Metric labels: one parser, and labels that round-trip.

A metric is written FAMILY(what, option=value)@K: ``CUI@10``, ``P(modality&organ)@30``,
``nDCG(nn-iou,gain=exp)@10``, ``AP(organ)``, ``RBP(nn-iou,p=0.95)``. ``str(parse_metric(label))`` is the
one canonical label, and parses to the same metric again.
"""

from __future__ import annotations

import re
from typing import Any

from evalcore.errors import SettingError, UnknownName
from evalcore.ranking.families import METRICS, Metric, MetricFamily, Target
from evalcore.relevance.registry import parse_relevance

__all__ = ["DEFAULT_PERSISTENCE", "METRICS", "Metric", "MetricFamily", "Target", "parse_metric"]

DEFAULT_PERSISTENCE = 0.95
"""RBP's p where a label gives none."""

_LABEL = re.compile(r"\s*([A-Za-z]+)\s*(?:\((.*)\))?\s*(?:@\s*([^@()\s]+))?\s*", re.DOTALL)
_FORM = "written like nDCG(nn-iou)@10, P(organ)@5 or CUI@10"


def parse_metric(label: str | Metric) -> Metric:
    """Which measure does a label name?

    Families are found whatever their case; spaces around the parts do not matter. Label columns and
    systems are looked up when a study is scored, not here. A Metric is returned as it is.

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
    found = _LABEL.fullmatch(label)
    if not found:
        raise SettingError("metric", _FORM, label)
    family = next((f for f in METRICS.values() if f.name.lower() == found[1].lower()), None)
    if family is None:
        raise UnknownName("metric", found[1], METRICS)
    what, given = _arguments(family, found[2] or "")
    options = dict(_option(family, argument, label) for argument in given)
    if "p" in family.options:
        options.setdefault("persistence", DEFAULT_PERSISTENCE)
    cutoff = _parse_cutoff(family, found[3], label)
    return Metric(family.name, cutoff=cutoff, **_target(family, what, label), **options)


def _arguments(family: MetricFamily, text: str) -> tuple[list[str], list[str]]:
    """What stands in the brackets: (relevances or labels, options such as ``gain=exp``).

    A system of ``cosine:`` may be called anything: of its name are all but the options at the end, each once.
    """
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    if not text.lstrip().startswith("cosine:"):
        return [part for part in parts if "=" not in part], [part for part in parts if "=" in part]
    end, left = len(parts), set(family.options)
    while end > 1 and (name := parts[end - 1].partition("=")[0].strip()) in left and "=" in parts[end - 1]:
        left.remove(name)
        end -= 1
    return [",".join(text.split(",")[:end]).strip()], parts[end:]


def _parse_cutoff(family: MetricFamily, text: str | None, label: str) -> int | None:
    if text is None and family.cutoff == "optional":
        return None
    if text is None:
        raise SettingError("metric", f"given a cutoff, as in {family.example}", label)
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < 1:
        raise SettingError("cutoff", f"an integer >= 1, as in {family.example}", text)
    return int(text)


def _target(family: MetricFamily, what: list[str], label: str) -> dict[str, Any]:
    """The relevance or the label columns a metric is about."""
    if family.fixed_relevance:
        if what:
            raise SettingError("metric", f"without a relevance in brackets, as in {family.example}", label)
        return {"relevance": family.fixed_relevance}
    if len(what) != 1:
        kind = "one relevance" if family.needs == "relevance" else "its label columns joined by &"
        raise SettingError("metric", f"given {kind} in brackets, as in {family.example}", label)
    if family.needs == "relevance":
        return {"relevance": str(parse_relevance(what[0]))}
    columns = tuple(column.strip() for column in what[0].split("&"))
    if not all(columns) or len(set(columns)) < len(columns):
        raise SettingError("labels", f"different column names joined by &, as in {family.example}", what[0])
    return {"labels": columns}


def _option(family: MetricFamily, argument: str, label: str) -> tuple[str, Any]:
    """``gain=exp`` -> ("gain", "exp"): the field of Metric and its value."""
    name, _, value = (part.strip() for part in argument.partition("="))
    if name not in family.options:
        known = ", ".join(family.options) or "none"
        raise SettingError("metric", f"given an option {family.name} knows ({known})", label)
    if name == "p":
        return "persistence", _parse_persistence(value)
    allowed = {"gain": ("linear", "exp"), "match": ("any", "equal")}[name]
    if value not in allowed:
        raise SettingError(name, f"one of {', '.join(allowed)}", value)
    return name, value


def _parse_persistence(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise SettingError("p", "a number above 0 and below 1", text)
    return value
