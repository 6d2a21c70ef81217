"""What a study contains: ``check``, ``fix``, near duplicates, labels from concepts."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from evalcore.cli.options import Whole, example, file_option, option
from evalcore.cli.output import (
    AT_FAULT,
    DONE,
    how_many,
    mention,
    print_message,
    problem_lines,
    progress_line,
    write_table,
)
from evalcore.cli.study_request import about_ids, of_systems, on_study
from evalcore.evaluate.coverage import coverage
from evalcore.evaluate.duplicates import group_rows, near_duplicates, proposed
from evalcore.evaluate.labels_from_concepts import labels_below
from evalcore.results.rows import Column, Table, also, named, placed, plain, record, whole
from evalcore.results.study import (
    EVERY,
    PROBLEMS,
    coverage_table,
    duplicates_table,
    images_table,
    parts_table,
    returned_table,
)
from evalcore.study.fixing import correct, study_and_problems, write_corrected
from evalcore.study.parts.labels import label_rows, parse_label_map
from evalcore.study.parts.recognise import recognise_file
from evalcore.study.tables.files import content_of
from evalcore.values.errors import InputError, Report
from evalcore.values.grouping import describe
from evalcore.values.writing import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.cli.study_request import StudyRequest
    from evalcore.evaluate.coverage import StudyCoverage
    from evalcore.values.model import Study


@example("check sample")
@on_study()
def check(request: StudyRequest) -> int:
    """List the contents of STUDY and all its problems.

    Also how much of it the graph covers. Of a file or a zip instead of a study: what it is, recognised by its
    content. Exit code 2 if there are errors (parts that were left out), 0 if there are only warnings.
    """
    if Path(request.folder).is_file():
        return _say_what(request)
    checked = _checked(request.folder, request)
    request.emit(checked.facts(), _shown(request.folder, checked))
    return _code(checked.report, checked.why)


class Checked(NamedTuple):
    """A study, all of its problems, and why there is none, if so; what of it is there."""

    study: Study | None
    report: Report
    why: str
    coverage: StudyCoverage | None

    def facts(self) -> dict[str, Any]:
        """For JSON."""
        return record(self, *_CHECKED) | record(self.report, *PROBLEMS, *_COUNTED)


_CHECKED = (
    Column("study", "study.name"),
    Column("digest", "study.digest"),
    Column("usable", lambda checked: checked.study is not None),
    Column("message", "why"),
    Column("parts", lambda checked: checked.study.parts if checked.study else ()),
    *named("coverage"),
)
_COUNTED = (
    Column("kinds", lambda report: {"errors": report.kinds("error"), "warnings": report.kinds("warning")}),
    Column(
        "counts",
        lambda report: Table(
            [(*key, n) for key, n in report.counts.items()], placed("severity", "file", "rule", "count")
        ),
    ),
)


def _checked(folder: str, request: StudyRequest) -> Checked:
    study, report, why = study_and_problems(folder, request.view.unknown)
    return Checked(study, report, why, coverage(study) if study else None)


def _code(report: Report, why: str) -> int:
    """The exit code, after a message where there is no study."""
    if why:
        print_message(f"Error: {why}", error=True)
    return AT_FAULT if why or report.total("error") else DONE


@example("fix sample --out corrected")
@on_study()
@option(
    "--out", required=True, metavar="DIR", help="Where to write: the copy; a folder that is new, or empty."
)
def fix(request: StudyRequest, out: str) -> int:
    """Write a corrected copy of STUDY.

    Columns that are called nearly as they should be are renamed; ids get the case, ending and folder that
    they have in the concept file; duplicates and rows that cannot be read are left out. Everything else is
    copied byte for byte. Every change is listed, then what is still wrong in the copy. STUDY itself is never
    changed. Where there is nothing to correct, nothing is written. Exit code 2 if errors are left, 0
    otherwise.
    """
    corrected = correct(request.folder)
    written = write_corrected(corrected, Path(out)) if corrected.files else None
    checked = _checked(out if written else request.folder, request)
    report = checked.report
    changes = Table(corrected.changes, _CHANGES)
    head = f"Wrote {plain(out)}." if written else "Nothing had to be corrected; nothing was written."
    left = f"Still wrong: {how_many(report, 'error')}, {how_many(report, 'warning')}."
    shown: list[str | Table] = [changes, "", head] if changes.rows else [head]
    if report.total("error"):
        shown += [left, "", *problem_lines(report)]
    request.emit({"out": out if written else None, "changes": changes} | checked.facts(), shown)
    return _code(report, checked.why)


_CHANGES = (
    Column("file", head="file", text=plain),
    Column("what", head="change"),
    Column("count", head="count", text=whole),
    Column("line", head="first line", text=lambda line: "-" if line is None else str(line)),
    Column("value", head="first value", text=plain),
)


def _say_what(request: StudyRequest) -> int:
    """What a file, or each in a zip, was recognised as, by its content."""
    files = recognise_file(Path(request.folder))
    report = sum((file.report for file in files), Report())
    table = Table(
        files,
        (
            Column("file", head="file", text=plain),
            Column("kind"),
            also("what it is", "title"),
            Column("contents", "holds", "contents"),
            Column("system", head="system", text=plain),
        ),
    )
    counted = f"{how_many(report, 'error')}, {how_many(report, 'warning')}."
    request.emit(record(report, *PROBLEMS), [("files", table), "", *problem_lines(report), counted])
    return _code(report, "")


def _shown(folder: str, checked: Checked) -> Iterator[str | Table]:
    report, of_runs = checked.report, of_systems(checked.study) if checked.study else ()
    yield from problem_lines(report)
    if checked.study and checked.coverage:
        yield from _parts(checked.study, checked.coverage)
    with suppress(InputError):
        if report.total("error") and correct(folder).files:
            yield f"Some of this can be corrected: `fix {plain(folder)} --out DIR` writes a copy."
    if checked.study or report.counts:
        yield f"{how_many(report, 'error')}, {how_many(report, 'warning')}.{about_ids(report, of_runs)}"


def _parts(study: Study, held: StudyCoverage) -> Iterator[str | Table]:
    yield f"{plain(study.name)}, digest {study.digest}"
    yield from (parts_table(study), "", coverage_table(held))
    yield (
        f"\nConcepts per image: mean {held.concepts_per_image_mean:.2f}, "
        f"median {held.concepts_per_image_median:g}, most {held.concepts_per_image_max}."
    )
    if study.graph is not None and held.unknown:
        frequent = ", ".join(f"{study.name_of(cui)} ({n:,})" for cui, n in held.unknown[:10])
        yield f"Concepts the graph does not contain, with images: {plain(frequent)}."
    if study.kinds is not None:
        yield plain(f"Kinds of concepts by {study.kinds.source}.")
    if study.groups is not None:
        yield plain(describe(study))
    if held.systems:
        yield from ("", returned_table(study, held.systems))
        if len({system.searched for system in held.systems}) > 1:
            yield (
                f"searched: of {len(study.candidates):,} candidates. Systems that search different images "
                "are compared over those that all search, unless --queries says otherwise."
            )
    yield ""


# ``duplicates``: which images are nearly the same, and the groups that would keep them apart.

BITS = 256


@example("duplicates sample --near 8")
@on_study(csv="those of the table.", runs=False)
@option(
    "--near",
    kind=Whole(0, BITS),
    usual=16,
    help=f"Bits of {BITS} that may differ: in the perceptual hashes of two pictures.",
)
@file_option(
    "--out",
    metavar="FILE.csv",
    help="Where to write: a groups.csv of near duplicates and the study's groups.",
)
def duplicates(request: StudyRequest, near: int, out: str | None) -> None:
    """List images of STUDY that are nearly the same.

    Pictures by a difference hash. Copies that were scaled, brightened, blurred or compressed again are
    found; turned, mirrored and cropped ones are not.

    A near duplicate of a query is found without any understanding. `--out groups.csv` proposes groups: put
    the file into the study, and results of the query's own group are left out. Look at the pairs first.
    """
    opened = request.study
    result = near_duplicates(opened, near=near, progress=progress_line())
    table = duplicates_table(opened, result)
    if out is not None:
        tied = proposed(opened, result)
        write_table(out, ("ID", tied.name), group_rows(opened, tied))
    pairs, pictures = pluralize(len(result.pairs), "pair"), pluralize(result.n_pictures, "picture")
    verb = "is" if len(result.pairs) == 1 else "are"
    head = f"{plain(opened.name)}: {pairs} of {pictures} {verb} near-identical."
    facts = {"near": near, "n_pictures": result.n_pictures}
    request.emit(request.facts() | facts, [head, ("pairs", table)], table)


# ``labels``: labels of images from their concepts, by a map.


def reach_of(text: str) -> int | None:
    """``all`` as None, else a number of links.

    >>> reach_of("2"), reach_of("all")
    (2, None)
    """
    if not (text == EVERY or (text.isdigit() and len(text) < 4)):
        raise click.BadParameter(f"{text!r} is neither a number nor {EVERY}.", param_hint="--reach")
    return None if text == EVERY else int(text)


@example("labels sample --map labels_map.csv", own_files=True)
@on_study(csv="those of the table.")
@option(
    "--map",
    "label_map",
    required=True,
    metavar="FILE",
    help="Which concept means which label: label_type,label,cui (or column,label,cui).",
)
@option(
    "--reach",
    usual=EVERY,
    metavar="N",
    help="Links below a mapped concept up to which others have its label; all of them.",
)
@file_option("--out", metavar="FILE", help="Where to write: the labels, as labels.csv.")
def labels(request: StudyRequest, label_map: str, reach: str, out: str | None) -> None:
    """Label images by their concepts.

    A concept has the labels of the nearest concepts of the map above it. How many images have each label.
    """
    study, name = request.study, Path(label_map).name
    parsed, report = parse_label_map(content_of(Path(label_map), name), file=name)
    if report.total("error"):
        raise InputError(f"The label map has {how_many(report, 'error')}. Correct them.", report)
    mention(report)
    below = labels_below(study, parsed, reach_of(reach))
    table = images_table(below)
    if out:
        write_table(out, *label_rows(study, below))
    request.emit({**request.facts(), "map": name, "reach": reach}, [("labels", table)], table)
