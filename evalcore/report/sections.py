"""The sections of a report, each as HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from evalcore.evaluate.common_pool import in_words
from evalcore.evaluate.slices.conditions import chosen_of
from evalcore.evaluate.summary import too_narrow
from evalcore.figures.numbers import count, percent, things
from evalcore.ranking.metrics import METRICS, parse_metric
from evalcore.relevance.registry import RELEVANCE, describe, parse_relevance
from evalcore.report import html, slices, tables, verdicts
from evalcore.report.method import method, pool
from evalcore.study import reads
from evalcore.study.left_out import in_words as labels_in_words
from evalcore.values.grouping import in_words as groups_in_words
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.ranking.metrics import Metric
    from evalcore.report.found import Found, OfMetric

QUESTION = "Which system finds the better images?"


class _Title(NamedTuple):
    title: str


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the sentences of the pages ask of a reader's choices, for a reader who wants the statistics."""

    measure: _Title
    metric: str
    smallest: float
    plain: bool = False


def verdict(found: Found) -> str:
    """The answer for each measure, in words, and what limits it."""
    parts = []
    for of in found.metrics:
        family = METRICS[metric(of).family]
        asked = _Asked(_Title(family.title), of.metric, found.view.smallest_difference)
        sentence = verdicts.best_system(of.intervals, of.gap, asked)
        parts.append(html.paragraph(html.from_markdown(sentence), "verdict"))
    limits = [*in_words(found.over), groups_in_words(found.study), labels_in_words(found.study)]
    narrow = too_narrow(
        [one.n_independent for of in found.metrics for one in of.intervals.values()],
        differences=[one.n_independent for one in found.comparisons], settings=found.view.settings,
    )  # fmt: skip
    virtual = [name for name in found.view.systems if name.startswith("@")]
    ideal = "Systems that begin with @ rank by the concepts themselves: a reference, not competitors."
    notes = [*limits, narrow, ideal if virtual else "", reads.in_words(found.view.systems, found.study.looks)]
    return "".join([*parts, *(html.paragraph(html.text(note)) for note in notes if note)])


def metric(of: OfMetric) -> Metric:
    """The measure as the program knows it."""
    return parse_metric(of.metric)


def results(found: Found) -> str:
    """Every table of numbers."""
    return "".join(
        [
            *(tables.leaderboard(found, of) for of in found.metrics), tables.comparisons(found),
            tables.matters(found),
            slices.tables(found), slices.sweep(found),
            tables.ceilings(found), tables.owed(found), tables.undefined(found),
        ]
    )  # fmt: skip


def data(found: Found) -> str:
    """What was compared: the study and what it covers, the queries and candidates that count."""
    study, covered = found.study, found.coverage
    annotated = covered.images - covered.not_annotated
    graph = study.graph
    errors, remarks = study.report.kinds("error"), study.report.kinds("warning")
    facts = html.facts(
        [
            ("Study", study.name), ("Description", study.description),
            ("Images", count(covered.images)),
            ("Queries that count", f"{count(len(study.queries))} of {count(len(found.whole.queries))}"),
            ("Filter", chosen_of(study) if study.where else "none: every query of the study"),
            ("Candidates", f"{count(len(study.candidates))} of {count(found.over.n_all)}"),
            ("Compared over", pool(found.over.which, "")),
            ("Annotated images", f"{count(annotated)} ({percent(annotated, covered.images)})"),
            ("Without a concept", count(covered.without_concepts)),
            ("Concepts", count(covered.concepts)),
            ("Concepts of an image", f"{covered.concepts_per_image_mean:.1f} on average, median "
             f"{covered.concepts_per_image_median:g}, at most {count(covered.concepts_per_image_max)}"),
            ("Graph", f"{count(graph.n_nodes)} concepts" if graph else "none"),
            ("Concepts in the graph", f"{count(covered.concepts_in_graph)} of {count(covered.concepts)}; "
             f"{percent(covered.occurrences_in_graph, covered.occurrences)} of their uses" if graph else ""),
            ("Captions", count(covered.captions)), ("Pictures", count(covered.pictures)),
            ("Labels", "; ".join(f"{name}: {things(n, 'image')}" for name, n in covered.labelled) or "none"),
            ("Groups", f"{study.groups.name}: {things(study.groups.n, 'group')}" if study.groups else "none"),
            ("Labels left out", labels_in_words(study) or "none"),
            ("Problems found in the files", f"{things(errors, 'error')}, {things(remarks, 'remark')}"),
        ]
    )  # fmt: skip
    return facts + tables.searched(found)


def methods(found: Found) -> str:
    """How each number came about: the sentence of the pages, and the measures by formula and source."""
    chosen = f" ({md_escape(chosen_of(found.study))})" if found.study.where else ""
    over = pool(found.over.which, chosen)
    said = "".join(
        html.paragraph(
            html.from_markdown(
                method(
                    of.metric, over, found.view.settings, of.intervals[found.view.systems[0]],
                    found.comparisons, found.study.digest,
                )
            )
        )
        for of in found.metrics
    )  # fmt: skip
    return said + html.table(
        ("Measure", "What it is", "Formula", "Source"), _measures(found), words=4,
        caption="The measures, and the relevances they use, by formula and source.",
    )  # fmt: skip


def _measures(found: Found) -> Iterator[tuple[str, str, str, str]]:
    relevances: list[str] = []
    for of in found.metrics:
        known = metric(of)
        family = METRICS[known.family]
        yield of.metric, family.plain, family.formula, family.reference
        if known.relevance and parse_relevance(known.relevance).kind in RELEVANCE:
            relevances.append(known.relevance)
    for name in dict.fromkeys(relevances):
        one = describe(name)
        yield name, one.title, one.formula, one.reference


def settings(found: Found) -> str:
    """Every setting, those at their usual value too."""
    rows = [
        (name.replace("_", " "), ", ".join(value) if isinstance(value, list) else _written(value))
        for name, value in found.view.as_dict().items()
    ]
    return html.facts(rows)


def _written(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else f"{value}"
