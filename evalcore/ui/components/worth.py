"""Whether a result counts under the chosen measure, as a mark beside it: ✓ chest, ✗ head, or 0.42."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

from evalcore.evaluate.wanted import metric_of
from evalcore.evaluate.what_counts import what_counts
from evalcore.figures.numbers import brief
from evalcore.values.markdown import md_escape, plain

if TYPE_CHECKING:
    from evalcore.ranking.metrics import Metric
    from evalcore.values.arrays import Ints
    from evalcore.values.model import Study
    from evalcore.values.settings import Settings

YES, NO, NEITHER = "✓", "✗", "–"
WIDEST = 28
_COLOURS = {YES: "green", NO: "orange"}


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
    def brief(self) -> str:
        """The sign, or the value."""
        return self._in_brackets(self.sign or self.text)

    @property
    def words(self) -> str:
        """Plain text, on one line."""
        return self._in_brackets(f"{self.sign} {plain(self.text, limit=WIDEST)}".strip())

    @property
    def markdown(self) -> str:
        """The same for a card: grey where it does not count."""
        colour = _COLOURS.get(self.sign, "blue") if self.counted else "gray"
        return f":{colour}[{self._in_brackets(f'{self.sign} {md_escape(self.text, limit=WIDEST)}'.strip())}]"

    def _in_brackets(self, said: str) -> str:
        """What stands beyond the results that count is put in brackets."""
        return said if self.counted or self.sign == NEITHER else f"({said})"


def marks(study: Study, label: str, query: int, images: Ints, settings: Settings) -> list[Mark]:
    """The mark of each of the first results of a query under the metric of this label."""
    metric = metric_of(study, label, settings)
    found = what_counts(study, metric, query, images, settings)
    rows = zip(images.tolist(), found.gains.tolist(), found.counted.tolist(), strict=True)
    if metric.relevance or metric.levels:
        return [Mark(label, "", _value(metric, gain), gain, counted) for _, gain, counted in rows]
    return [
        Mark(label, _sign(gain), _labels(study, metric.labels, image), gain, counted)
        for image, gain, counted in rows
    ]


def _sign(gain: float) -> str:
    return NEITHER if isnan(gain) else YES if gain else NO


def _value(metric: Metric, gain: float) -> str:
    """What a result earns; of levels how many of the labels it shares, where the two are the same."""
    if metric.levels and metric.family != "nDCG" and not isnan(gain):
        return f"{gain:.0f} of {len(metric.labels)}"
    return brief(gain)


def _labels(study: Study, columns: tuple[str, ...], image: int) -> str:
    if image < 0:
        return "unknown image"
    values = [", ".join(study.label_columns[name].of_image(image)) for name in columns]
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
    same = md_escape(" and ".join(metric.labels))
    return f"✓ same {same} as the query, ✗ another, – no such label{beyond}"
