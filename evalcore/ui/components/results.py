"""What a system returned for one query, with the scores every card shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from evalcore import engine
from evalcore.evaluate.targets import metric_of, what_counts
from evalcore.ranking.metrics import Metric
from evalcore.ui.frame import cache
from evalcore.ui.frame.context import Context
from evalcore.values.arrays import Floats, Ints
from evalcore.values.model import Study
from evalcore.values.own_queries import PAIRS
from evalcore.values.settings import Settings
from evalcore.values.writing import md_escape, number, plain

# Whether a result counts under the chosen measure, as a mark beside it: ✓ chest, ✗ head, or 0.42.

YES, NO, NEITHER = "✓", "✗", "–"
WIDEST = 28


@dataclass(frozen=True, slots=True)
class Mark:
    """What a result earns under the measure labelled ``metric``.

    ``sign``: ✓, ✗ or –, "" where there is a value. ``text``: its labels, or the value. ``gain``: NaN where
    the image plays no part. ``counted``: it plays a part and is not beyond the cutoff.
    """

    metric: str
    sign: str
    text: str
    gain: float
    counted: bool

    @property
    def words(self) -> str:
        """Plain text, on one line; in brackets beyond the results that count."""
        text = f"{self.sign} {plain(self.text, limit=WIDEST)}".strip()
        return text if self.counted or self.sign == NEITHER else f"({text})"


def marks(study: Study, label: str, query: int, images: Ints, settings: Settings) -> list[Mark]:
    """The mark of each of the first results of a query under the metric of this label."""
    metric = metric_of(study, label, settings)
    worth = what_counts(study, metric, query, images, settings)
    rows = zip(images.tolist(), worth.gains.tolist(), worth.counted.tolist(), strict=True)
    if metric.relevance or metric.levels:
        return [Mark(label, "", _value(metric, gain), gain, counted) for _, gain, counted in rows]
    return [
        Mark(
            label,
            NEITHER if isnan(gain) else YES if gain else NO,
            _labels(study, metric.labels, image),
            gain,
            counted,
        )
        for image, gain, counted in rows
    ]


def _value(metric: Metric, gain: float) -> str:
    """What a result earns; of levels how many of the labels it shares, where the two are the same."""
    if metric.levels and metric.family != "nDCG" and not isnan(gain):
        return f"{gain:.0f} of {len(metric.labels)}"
    return number(gain, 2)


def _labels(study: Study, columns: tuple[str, ...], image: int) -> str:
    if image < 0:
        return "unknown image"
    if columns == (PAIRS,) and study.pairs is not None:
        return ""
    values = [", ".join(study.labels[name].of_image(image)) for name in columns]
    return " · ".join(value or "no label" for value in values)


def legend(metric: Metric, *, plain_words: bool) -> str:
    """What the marks mean, Markdown."""
    cut = metric.cutoff is not None or metric.family == "Rprec"
    beyond = ". In brackets: not counted, beyond the top k" if cut else ""
    if metric.levels:
        order = md_escape(", then ".join(metric.labels))
        value = "what the result earns for the labels" if metric.family == "nDCG" else "how many labels"
        return f"Value: {value} it shares with the query, from the top: {order}{beyond}"
    if metric.relevance:
        measure = "the chosen measure" if plain_words else md_escape(str(metric))
        return f"Value: what the result earns under {measure}{beyond}"
    if metric.labels == (PAIRS,):
        return f"✓ matched with the query, ✗ another{beyond}"
    same = md_escape(" and ".join(metric.labels))
    return f"✓ same {same} as the query, ✗ another, – no such label{beyond}"


@dataclass(frozen=True, slots=True)
class Result:
    """One returned image. ``image`` is its index, -1 for an id the study does not know.

    ``rank`` is 1-based; ``elsewhere`` its rank in the list it is held against, None when it is not among
    the results looked at there; ``also_in``: how many of the other lists hold it. ``iou``,
    ``nn_iou`` and ``cosine`` are NaN where they do not exist. ``mark``: whether it counts under the chosen
    measure.
    """

    image: int
    rank: int
    elsewhere: int | None
    iou: float
    nn_iou: float
    cosine: float
    mark: Mark
    also_in: int

    @property
    def shared(self) -> bool:
        return self.also_in > 0 or self.elsewhere is not None


def side_by_side(
    context: Context, systems: Sequence[str], query: int, depth: int
) -> list[tuple[list[Result], int]]:
    """Of each system its first ``depth`` results, and how many it returned in all.

    Of two systems each is held against the other; of more, all are held against the first, and the first
    against none.
    """
    settings = context.choice.settings
    answers = [cache.retrieved_images(context.study, name, query, settings) for name in systems]
    ranks: list[dict[int, int]] = [
        {int(image): rank for rank, image in enumerate(images[:depth], start=1) if image >= 0}
        for images in answers
    ]
    holders = Counter(image for rank in ranks for image in rank)
    result = []
    for place, (name, answer) in enumerate(zip(systems, answers, strict=True)):
        other = 0 if place else 1 if len(systems) == 2 else None
        elsewhere = {} if other is None else ranks[other]
        result.append((_results(context, query, name, answer[:depth], elsewhere, holders), len(answer)))
    return result


def _results(
    context: Context,
    query: int,
    system: str,
    images: Ints,
    elsewhere: Mapping[int, int],
    holders: Mapping[int, int],
) -> list[Result]:
    study, choice = context.study, context.choice
    relevances = (
        "iou",
        "nn-iou" if study.knows_neighbours else None,
        f"cosine:{system}" if system in study.embeddings else None,
    )
    values = np.column_stack([_values(study, name, query, images, choice.settings) for name in relevances])
    marked = marks(study, choice.metric, query, images, choice.settings)
    rows = zip(images.tolist(), values.tolist(), marked, strict=True)
    return [
        Result(image, rank, elsewhere.get(image), iou, near, alike, mark, max(holders.get(image, 0) - 1, 0))
        for rank, (image, (iou, near, alike), mark) in enumerate(rows, start=1)
    ]


def _values(study: Study, relevance: str | None, query: int, images: Ints, settings: Settings) -> Floats:
    """How relevant these images are for a query; NaN where the study cannot say."""
    if relevance is None or not len(images):
        return np.full(len(images), np.nan)
    queries = np.full(len(images), query, np.int32)
    return engine.relevance_of_pairs(study, relevance, queries, images, [settings])[0]
