"""``labels``: labels from concepts by a map, and how much label metrics depend on which count."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalcore.cli.options import ALL, example
from evalcore.cli.output import complain, how_many, mention, progress_line, write_table
from evalcore.cli.study_request import on_study
from evalcore.evaluate.labels_from_concepts import in_words, label_choices, labels_below, map_below
from evalcore.results.labels import EVERY, choices_table, label_rows, reach_text
from evalcore.study.concepts.labels import parse_label_map
from evalcore.study.tables.files import content_of
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from evalcore.cli.study_request import StudyRequest
    from evalcore.evaluate.labels_from_concepts import LabelChoice
    from evalcore.study.concepts.labels import LabelMap
    from evalcore.values.model import Study


def reaches_of(text: str) -> tuple[int | None, ...]:
    """``0,1,all`` as (0, 1, None).

    >>> reaches_of("0,2,all")
    (0, 2, None)
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(part == EVERY or (part.isdigit() and len(part) < 4) for part in parts):
        raise click.BadParameter(f"{text!r} is not a list such as 0,1,{EVERY}.", param_hint="--reach")
    return tuple(dict.fromkeys(None if part == EVERY else int(part) for part in parts))


@example('labels sample --map labels_map.csv --metric "P(modality)@5"')
@on_study(*ALL, "metrics", "systems", csv="those of the table.")
@click.option(
    "--map",
    "label_map",
    required=True,
    metavar="FILE",
    help="Which concept means which label: label_type,label,cui (or column,label,cui); or a concept: those "
    "one link below it are the labels.",
)
@click.option(
    "--reach",
    default=f"0,1,{EVERY}",
    show_default=True,
    metavar="N,N",
    help="Links below a mapped concept up to which others have its label.",
)
@click.option(
    "--out", metavar="FILE", help="Where to write: the labels, by the first number of --reach, as labels.csv."
)
def labels(request: StudyRequest, label_map: str, reach: str, out: str | None) -> None:
    """How much label metrics depend on the map of labels.

    Labels follow from the concepts of an image by a map; concepts below a mapped one count too, up to a
    number of links. Each choice is a set of labels, under which systems are scored.
    """
    study, reaches = request.study, reaches_of(reach)
    parsed = _label_map(study, label_map)
    rows = label_choices(
        study,
        parsed,
        reaches=reaches,
        metrics=request.view.metrics,
        systems=request.view.systems or None,
        settings=request.settings,
        progress=progress_line(),
    )
    table = choices_table(rows)
    request.emit({**request.facts(), "map": Path(label_map).name}, [*_about(rows), ("rows", table)], table)
    if out:
        write_table(out, *label_rows(study, labels_below(study, parsed, reaches[0])))
        complain(f"Concepts up to {reach_text(reaches[0])} links below count in it.")


def _about(rows: tuple[LabelChoice, ...]) -> list[str]:
    return [in_words(rows)] if rows else []


def _label_map(study: Study, given: str) -> LabelMap:
    """The map of a file, or of a concept; InputError with what is wrong."""
    if study.in_graph(given) and not Path(given).exists():
        return map_below(study, given)
    name = Path(given).name
    parsed, report = parse_label_map(content_of(Path(given), name), file=name)
    if report.total("error"):
        raise InputError(f"The label map has {how_many(report, 'error')}. Correct them.", report)
    mention(report)
    return parsed
