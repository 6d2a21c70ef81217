"""``--campaign`` of ``imageclef concepts`` and ``captions``: what organisers need."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import as_json, example, options, with_seed
from evalcore.cli.output import complain, emit, mention, progress_line, write_csv
from evalcore.features.imageclef.board_page import board_html, board_rows, notes_of, tables_of
from evalcore.features.imageclef.captions.evaluate import read_caption_truth
from evalcore.features.imageclef.commands.output import FILE, file_of
from evalcore.features.imageclef.concepts.evaluate import read_concept_truth
from evalcore.features.imageclef.editions import EDITIONS, edition_of
from evalcore.features.imageclef.from_files import caption_score, concept_score
from evalcore.features.imageclef.organiser import standings
from evalcore.features.imageclef.published import included, read_published
from evalcore.features.imageclef.read import read_submission
from evalcore.features.imageclef.read_codabench import codabench
from evalcore.features.imageclef.read_submissions import entries_of, submissions
from evalcore.features.imageclef.tables import failures_table
from evalcore.study.tables.writers import write_pieces

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.imageclef.editions import Edition
    from evalcore.features.imageclef.from_files import Score

ENDINGS = (".html", ".csv", ".zip")
_PLACE = click.Path(exists=True, path_type=Path)


def _outputs(_ctx: click.Context, option: click.Parameter, paths: Sequence[Path]) -> Sequence[Path]:
    """Files to write, each of an ending that says what goes into it."""
    for path in paths:
        if path.suffix.lower() not in ENDINGS:
            raise click.BadParameter(f"{path} ends in none of {', '.join(ENDINGS)}.", param=option)
    return paths


_shared = options(
    click.argument(
        "outputs",
        type=click.Path(dir_okay=False, path_type=Path),
        nargs=-1,
        callback=_outputs,
        metavar="[FILE]...",
    ),
    click.option("--edition", type=click.Choice(EDITIONS), required=True, help="Whose rules and script."),
    click.option("--truth", type=FILE, required=True, metavar="F", help="The truth: image and content."),
    click.option(
        "--run",
        "source",
        type=_PLACE,
        metavar="F",
        help="A run to score: here a folder or a zip of all of them, with entries.csv (file, team, run, "
        "run_type, resources) where file names do not say who sent them.",
    ),
    click.option(
        "--published",
        type=FILE,
        metavar="F",
        help="Published results to rank the runs among (columns team, run, score, resources, "
        "source); else, for 2017, those of the task's page.",
    ),
    with_seed("resamples."),
    as_json,
)


@example("imageclef concepts --campaign --edition 2025 --truth truth.csv --run runs board.html")
@click.command()
@_shared
@click.option(
    "--manual",
    type=FILE,
    metavar="F",
    help="Manually checked truth for the secondary score; else the truth itself.",
)
def concepts(edition: str, truth: str, manual: str | None, **shared: Any) -> None:
    """Rank all submissions to concept detection, or export the scoring program.

    By team's best and by all, apart by resources; what the official script refuses is listed below. Each
    FILE is written: the boards as .html or .csv, the scoring program for Codabench as .zip.
    """
    rules = edition_of("concepts", edition)
    given = [file_of(path) for path in (truth, manual) if path]
    true, *checked = (read_concept_truth(**one, edition=rules) for one in given)
    mention(true.report)

    score = concept_score(true, edition=rules, manual=checked[0] if checked else None)
    _answer(rules, score, given, **shared)


@example("imageclef captions --campaign --edition 2017 --truth captions_a.csv --run runs board.html")
@click.command()
@_shared
@click.option(
    "--values",
    "scores",
    type=_PLACE,
    metavar="F",
    help="Scores per image from elsewhere (a folder or a zip of tables called like the submissions).",
)
def captions(edition: str, truth: str, scores: Path | None, **shared: Any) -> None:
    """Rank all submissions to caption prediction, or export the scoring program.

    By team's best and by all, apart by resources; what the official script refuses is listed below. Each
    FILE is written: the boards as .html or .csv, the scoring program for Codabench as .zip.
    """
    rules, given = edition_of("captions", edition), file_of(truth)
    true = read_caption_truth(**given)
    with ExitStack() as stack:
        tables = stack.enter_context(submissions(scores, file=str(scores))) if scores else {}
        score = caption_score(true, edition=rules, tables=tables)
        _answer(rules, score, [given], **shared)


def _answer(
    edition: Edition,
    score: Score,
    given: Sequence[dict[str, Any]],
    *,
    source: Path | None,
    published: str | None,
    outputs: Sequence[Path],
    seed: int,
    json_wanted: bool,
) -> None:
    """Write and print what is asked for; ``given`` name and content of the truths."""
    programs = [path for path in outputs if path.suffix.lower() == ".zip"]
    for path in programs:
        write_pieces(path, [codabench(edition, [(one["file"], one["data"]) for one in given])])
        complain(f"Wrote {path}.")
    if source is None:
        if len(programs) < max(len(outputs), 1):
            raise click.UsageError("There is nothing to rank: give --run, or only a FILE.zip to write.")
        what = "Upload scoring_program.zip and reference_data.zip in it as a task of the campaign."
        emit(
            {"edition": edition.key, "task": edition.task, "written": list(map(str, programs))},
            [what],
            json=json_wanted,
        )
        return
    rows = read_published(**file_of(published)) if published else included(edition)
    own = not published and bool(rows)
    with submissions(source, file=str(source)) as files:
        sent, report = entries_of(files, edition)
        mention(report)
        made = standings(
            lambda path: read_submission(files[path]),
            sent,
            score,
            edition=edition,
            seed=seed,
            progress=progress_line(),
        )
    for path in outputs:
        if path.suffix.lower() == ".html":
            write_pieces(path, [board_html(made, published=rows, included=own).encode()])
            complain(f"Wrote {path}.")
        elif path.suffix.lower() == ".csv":
            write_csv(str(path), board_rows(made, published=rows))
    tables, failed = tables_of(made, published=rows), failures_table(made.failures, metric=made.metric)
    shown = [part for name, one in tables.items() for part in (f"\n{name}", one)]
    emit(
        {
            "edition": edition.key,
            "task": edition.task,
            "ranked_by": made.metric,
            "boards": {name: one.records() for name, one in tables.items()},
            "failures": failed,
        },
        [
            *notes_of(made, included=own),
            *shown,
            *(("\nWithout an official score", failed) if made.failures else ()),
        ],
        json=json_wanted,
    )
