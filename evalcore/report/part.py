"""One question about an analysis with its answer: what pages, reports and commands draw.

A `Part` is asked about one metric of an `Analysis`, or once about all of them. Its answer is a sentence in
Markdown; figures and a table say more, the method says how the numbers came about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from evalcore.evaluate.analysis import Analysis
from evalcore.figures.frame import Drawn, Reading
from evalcore.figures.theme import Theme
from evalcore.report.verdicts import Choice
from evalcore.results.rows import Table


class Named(NamedTuple):
    """A figure and its name, that of its file; ``wide``: one column of a journal is too narrow for it."""

    name: str
    drawn: Drawn
    wide: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One question with its answer: a section of a page and of the report, a table of JSON.

    Every function takes an analysis, the label of one of its metrics, and by keyword what this part is asked
    with besides, such as ``by``, a way to slice the queries. ``answer`` also takes ``words`` (how it is
    worded, see `verdicts.Choice`), ``figures`` the ``theme``. ``caption`` and ``method`` are plain text.
    ``missing`` says why there is nothing to ask, "" where there is something. ``once``: about the whole
    analysis, whichever metric is named. ``in_report``: a section of every report.
    """

    key: str
    question: str
    answer: Callable[..., str] = lambda *_, **__: ""
    figures: Callable[..., Iterable[Named]] = lambda *_, **__: ()
    table: Callable[..., Table | None] = lambda *_, **__: None
    caption: Callable[..., str] = lambda *_, **__: ""
    method: Callable[..., str] = lambda *_, **__: ""
    missing: Callable[..., str] = lambda *_, **__: ""
    once: bool = False
    in_report: bool = False

    def asked(self, analysis: Analysis, **params: Any) -> Iterator[Asked]:
        """The part about each metric of an analysis, or once; not where it is missing."""
        metrics = analysis.view.metrics
        for number, metric in enumerate(metrics[:1] if self.once else metrics, start=1):
            if not self.missing(analysis, metric, **params):
                yield Asked(self, analysis, metric, 0 if self.once else number, params)


@dataclass(frozen=True, slots=True)
class Asked:
    """A part asked about a metric; ``number``: of the metric in the view, 0 for a part about all of them."""

    part: Part
    analysis: Analysis
    metric: str
    number: int
    params: Mapping[str, Any] = field(default_factory=dict)

    def answer(self, words: Choice | None = None) -> str:
        """The answer in a sentence of Markdown, in the terms of the method unless other words are chosen."""
        return self.part.answer(self.analysis, self.metric, words=words, **self.params)

    def table(self) -> Table | None:
        """The rows; None where the part has none."""
        return self.part.table(self.analysis, self.metric, **self.params)

    def caption(self) -> str:
        """What the table holds."""
        return self.part.caption(self.analysis, self.metric, **self.params)

    def method(self) -> str:
        """How the numbers came about."""
        return self.part.method(self.analysis, self.metric, **self.params)

    def figures(self, theme: Theme) -> Iterator[Named]:
        """The figures, under the names of their files."""
        for named in self.part.figures(self.analysis, self.metric, theme=theme, **self.params):
            end = f"-{self.number}" if self.number else ""
            yield named._replace(name=f"{named.name}{end}", drawn=_by_groups(self.analysis, named.drawn))


def _by_groups(analysis: Analysis, drawn: Drawn) -> Drawn:
    """The figure with a line that says by which groups its intervals and tests are, where it has any."""
    groups, (plain, technical) = analysis.scores[0].grouped_by, drawn.how_to_read
    if not groups or "interval" not in technical:
        return drawn
    line = f" All intervals and tests are by {groups}: queries of one {groups} are drawn together."
    technical = technical.replace("interval over queries", f"interval over {groups}s")
    return replace(drawn, how_to_read=Reading(plain + line, technical + line))
