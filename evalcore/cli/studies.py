"""``check`` and ``rank``: what a study holds, and what a relevance would retrieve from it."""

from __future__ import annotations

from dataclasses import asdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import as_json, on_cluster, open_clean, settings_of, shared_options
from evalcore.cli.output import complain, plain, print_json, print_lines, print_table, progress_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcore.coverage import StudyCoverage
    from evalcore.model import Report, Run, Study


@click.command()
@click.argument("study")
@shared_options(shown=("unknown",))
@as_json
def check(study: str, json_wanted: bool, **shared: Any) -> int:
    """List every problem of STUDY, what was read, and how much the graph covers.

    Exit code 2 when there are errors (parts that had to be left out), 0 when there are only warnings.
    """
    from evalcore.coverage import coverage
    from evalcore.errors import InputError
    from evalcore.model import Report
    from evalcore.sources.pictures.images import cut_images
    from evalcore.study import open_study

    opened, why = None, ""
    try:
        opened = open_study(study, unknown=shared["unknown"])
        report = opened.report
        if opened.images is not None:
            report += cut_images(opened.images, file=opened.images.folder.name)
    except InputError as problem:
        report, why = problem.report or Report(), str(problem)
    held = coverage(opened) if opened else None
    if json_wanted:
        print_json(_check_document(opened, report, held, why))
    else:
        _print_problems(report)
        if opened and held:
            _print_parts(opened, held)
        click.echo(f"{report.total('error'):,} errors, {report.total('warning'):,} warnings.")
    if why:
        complain(f"Error: {why}")
    return 2 if why or report.total("error") else 0


@click.command()
@click.argument("study")
@click.option(
    "--by",
    required=True,
    metavar="R",
    help="iou, nn-iou, another that `measures STUDY` lists, or cosine:SYSTEM.",
)
@click.option("--top", type=click.IntRange(1), default=100, show_default=True, help="Results per query.")
@click.option(
    "--out", metavar="FILE", help="A TREC run, or CSV when it ends in .csv; .gz packs it. Else printed."
)
@shared_options(
    shown=("alpha", "threshold", "count_rule", "form", "direction", "ties", "unknown", "include_self")
)
@as_json
@on_cluster
def rank(study: str, by: str, top: int, out: str | None, json_wanted: bool, **shared: Any) -> None:
    """Rank all candidates of every query of STUDY by a relevance measure.

    Equal scores stand by image id. With --ties expected the group of equal scores at the last rank is
    written whole, so that the file can be scored the same way.
    """
    from evalcore.relevance.registry import check_relevance
    from evalcore.sources.tables.writers import csv_lines, defused, run_rows, trec_lines, write_lines

    opened, settings = open_clean(study, shared["unknown"]), settings_of(shared)
    check_relevance(by, opened.embeddings)
    blocks = _ranked_blocks(opened, by, top, settings)
    ids = opened.image_ids
    if json_wanted and out is None:
        rows = chain.from_iterable(run_rows(block, ids) for block in blocks)
        found: dict[str, dict[str, float]] = {}
        for query, candidate, _, value in rows:
            found.setdefault(query, {})[candidate] = value
        print_json({"by": by, "top": top, "settings": settings.as_dict(), "run": found})
        return
    if out is not None and Path(out.removesuffix(".gz")).suffix == ".csv":
        table = chain.from_iterable(run_rows(block, ids) for block in blocks)
        lines = csv_lines(("query", "candidate", "rank", "score"), table)
        if any(defused(image) != image for image in ids):
            told = "Image ids that begin like a formula have an apostrophe in front of them in this file."
            complain(f"{told} To score the run, write a TREC file instead.")
    else:
        lines = chain.from_iterable(trec_lines(block, ids) for block in blocks)
    if out is None:
        print_lines(lines)
        return
    write_lines(Path(out), lines)
    if json_wanted:
        print_json({"by": by, "top": top, "settings": settings.as_dict(), "out": out})
    else:
        click.echo(f"Wrote {out}.", err=True)


def _ranked_blocks(study: Study, by: str, top: int, settings: Any) -> Iterator[Run]:
    from evalcore import engine

    show, blocks = progress_line(), range(0, len(study.queries), engine.QUERY_BLOCK)
    for place, first in enumerate(blocks):
        yield engine.rank(
            study, by, study.queries[first : first + engine.QUERY_BLOCK], candidates=study.candidates,
            depth=min(top, max(len(study.candidates), 1)), settings=settings,
            whole_ties=settings.ties == "expected", progress=engine.part_of(show, place, len(blocks)),
        )  # fmt: skip


def _check_document(
    study: Study | None, report: Report, held: StudyCoverage | None, why: str
) -> dict[str, Any]:
    return {
        "study": study.name if study else None,
        "digest": study.digest if study else None,
        "usable": study is not None,
        "message": why,
        "errors": report.total("error"),
        "warnings": report.total("warning"),
        "problems": [asdict(problem) for problem in report.problems],
        "counts": [
            {"severity": severity, "file": file, "rule": rule, "count": n}
            for (severity, file, rule), n in report.counts.items()
        ],
        "parts": [asdict(part) for part in study.parts] if study else [],
        "coverage": asdict(held) if held else None,
    }


def _print_problems(report: Report) -> None:
    for severity in ("error", "warning"):
        problems = report.of_severity(severity)
        if not problems:
            continue
        click.echo(f"{severity.capitalize()}s")
        for problem in problems:
            click.echo(plain(str(problem)))
        for (kind, file, rule), n in report.counts.items():
            shown = sum(p.count for p in problems if (p.file, p.rule) == (file, rule))
            if kind == severity and n > shown:
                click.echo(f"{plain(file)}: {n - shown:,} more like this ({rule}).")
        click.echo()


def _print_parts(study: Study, held: StudyCoverage) -> None:
    click.echo(f"{plain(study.name)}, digest {study.digest}")
    rows = [(p.kind, p.file, p.format, f"{p.rows:,}", "" if p.used else "not used") for p in study.parts]
    print_table(("part", "file", "form", "rows", ""), rows)
    click.echo()
    print_table(("", "count", "of", "share"), _coverage_rows(held))
    click.echo(
        f"\nConcepts per image: mean {held.concepts_per_image_mean:.2f}, "
        f"median {held.concepts_per_image_median:g}, most {held.concepts_per_image_max}."
    )
    if study.graph is not None and held.unknown:
        frequent = ", ".join(f"{study.name_of(cui)} ({n:,})" for cui, n in held.unknown[:10])
        click.echo(f"Concepts the graph does not know, with images: {plain(frequent)}.")
    if held.systems:
        click.echo()
        header = ("system", "answered", "shortest", "longest", "with ties", "embedded")
        numbers = [(s.answered, s.shortest, s.longest, s.tied, s.embedded) for s in held.systems]
        names = [s.system for s in held.systems]
        print_table(
            header, [(name, *(f"{n:,}" for n in row)) for name, row in zip(names, numbers, strict=True)]
        )
    click.echo()


def _coverage_rows(held: StudyCoverage) -> list[tuple[str, str, str, str]]:
    counts = [
        ("images annotated", held.images - held.not_annotated, held.images),
        ("images with concepts", held.images - held.not_annotated - held.without_concepts, held.images),
        ("images with a caption", held.captions, held.images),
        ("images with a picture", held.pictures, held.images),
        *((f"images with {name}", n, held.images) for name, n in held.labelled),
        ("concepts in the graph", held.concepts_in_graph, held.concepts),
        ("concept occurrences in the graph", held.occurrences_in_graph, held.occurrences),
        ("concepts with a name", held.concepts_named, held.concepts),
    ]
    return [(text, f"{n:,}", f"{of:,}", f"{n / of:.1%}" if of else "-") for text, n, of in counts]
