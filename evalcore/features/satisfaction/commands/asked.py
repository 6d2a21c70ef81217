"""Where the ratings come from: two files, a study and a file, or simulated users."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalcore.cli.options import refuse_idle
from evalcore.cli.output import how_many, mention
from evalcore.values.errors import InputError

if TYPE_CHECKING:
    from evalcore.cli.asked import Asked
    from evalcore.features.satisfaction.data import Satisfaction
    from evalcore.values.problems import Report

OF_STUDY = (
    "study", "by", "system", "width", "alpha", "threshold", "count_rule", "form", "direction", "unknown",
)  # fmt: skip


def given(
    asked: Asked, *, relevance: str | None, satisfaction: str | None, scale: str | None, by: str,
    system: str | None, width: int, rows: int, simulate: str | None, seed: int,
) -> Satisfaction:  # fmt: skip
    """The ratings; InputError with every problem of the files, UsageError where options do not fit."""
    if simulate:
        from evalcore.features.satisfaction.simulated import simulated

        idle = (*OF_STUDY, "relevance", "satisfaction", "scale")
        refuse_idle(False, *idle, because="simulated users need no files")
        return simulated(seed=seed, compare=simulate == "comparing")
    if not satisfaction:
        raise click.UsageError(
            "Name the ratings: --satisfaction FILE, with --relevance FILE or --study STUDY."
        )
    if asked.folder:
        because = "the relevance of a study's images comes from the study"
        refuse_idle(False, "relevance", "scale", because=because)
        return _of_study(asked, satisfaction, by, system, width, rows)
    if not relevance:
        raise click.UsageError("Say what was shown: --relevance FILE, or --study STUDY.")
    refuse_idle(False, *OF_STUDY, because="it belongs to --study")
    return _of_files(relevance, satisfaction, scale)


def _of_files(relevance: str, satisfaction: str, scale: str | None) -> Satisfaction:
    from evalcore.features.satisfaction.from_files import from_files
    from evalcore.study.tables.lines import content_of

    names = (Path(relevance).name, Path(satisfaction).name)
    data = [content_of(Path(path), name) for path, name in zip((relevance, satisfaction), names, strict=True)]
    found, report = from_files(data[0], data[1], names=names, scale=scale_of(scale))
    return _clean(found, report)


def _of_study(
    asked: Asked, satisfaction: str, by: str, system: str | None, width: int, rows: int
) -> Satisfaction:
    from evalcore.features.satisfaction.from_files import from_study
    from evalcore.features.satisfaction.read.satisfaction_file import parse_satisfaction
    from evalcore.study.tables.lines import content_of

    name = Path(satisfaction).name
    ratings, report = parse_satisfaction(content_of(Path(satisfaction), name), file=name)
    if report.total("error"):
        return _clean(None, report)
    found, more = from_study(
        asked.study, ratings, by=by, system=system, width=width, rows=rows, settings=asked.settings
    )
    return _clean(found, report + more)


def _clean(found: Satisfaction | None, report: Report) -> Satisfaction:
    """What was read, when there are no errors; remarks are mentioned on standard error."""
    if report.total("error"):
        raise InputError(f"The files have {how_many(report, 'error')}. Correct them.", report)
    mention(report)
    if found is None:
        raise InputError("No query has both a list and a rating.")
    return found


def scale_of(text: str | None) -> tuple[float, float] | None:
    """``0:3`` as (0, 3).

    >>> scale_of("0:3"), scale_of(None)
    ((0.0, 3.0), None)
    """
    from evalcore.study.tables.numbers import parsed

    if text is None:
        return None
    ends = [parsed(part) if part else None for part in text.split(":")]
    if len(ends) != 2 or any(end is None or not isfinite(end) for end in ends):
        raise click.BadParameter(f"{text!r} is no scale such as 0:3 or 0:100.", param_hint="--scale")
    return float(ends[0] or 0), float(ends[1] or 0)
