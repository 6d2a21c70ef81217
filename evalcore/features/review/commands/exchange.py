"""``review export`` and ``review import``: judgments as files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.emit import emit
from evalcore.cli.options import Whole, as_json
from evalcore.cli.output import STDOUT, TEXT_FILE, mention, plain, put_lines
from evalcore.values.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcore.features.review.judgments import Judgment

_ENDINGS = (".csv", ".json", ".qrels")


@click.command()
@click.argument("study")
@click.argument("name")
@click.option(
    "--out", type=TEXT_FILE, required=True, metavar="FILE",
    help="Ends in .csv, .json or .qrels; .gz after it packs it. - for CSV on standard output.",
)  # fmt: skip
@click.option("--reader", help="Only what this reader said. Without, qrels hold the median of all readers.")
@click.option(
    "--grades", type=Whole(1, 1_000_000), metavar="N",
    help="Qrels: grades from 0 to N; usual 4 for a scale of 5 steps, 100 for one to 100.",
)  # fmt: skip
@as_json
def export(
    study: str, name: str, out: str, reader: str | None, grades: int | None, json_wanted: bool
) -> None:
    """Write what readers said in the task NAME of STUDY.

    CSV and JSON hold every judgment with all fields, also what was said otherwise later or taken back, and
    `review import` reads them back. Qrels hold one grade for each query and image, for trec_eval and programs
    like it: of several readers the median, between two grades the lower one; what was settled between them
    counts in their place. Who cannot say is left out and counted, and so are simulated readers.
    """
    from evalcore.features.review.read.judgment_csv import judgment_lines
    from evalcore.features.review.read.judgment_json import json_lines
    from evalcore.features.review.read.task_files import check_folder, read_tasks
    from evalcore.features.review.read.together import judgments_in, judgments_of

    ending = ".csv" if out == STDOUT else Path(out.removesuffix(".gz")).suffix.lower()
    if ending not in _ENDINGS:
        raise click.UsageError(f"--out must end in {', '.join(_ENDINGS)}; got {plain(out)}.")
    if grades is not None and ending != ".qrels":
        raise click.UsageError("--grades is of qrels only; leave it out.")
    folder = Path(study)
    check_folder(folder)
    mention(judgments_in(folder)[1])
    tasks, said = {one.name: one for one in read_tasks(folder)[0]}, judgments_of(folder, name)
    if name not in tasks and not said:
        raise UnknownName("task", name, {*tasks, *(one.task for one in judgments_of(folder))})
    facts: dict[str, Any] = {"study": study, "task": name, "out": out}
    if ending == ".qrels":
        task = tasks.get(name)
        top = grades or (100 if task is not None and task.scale == 100 else 4)
        facts |= _write_qrels(said, top, reader, out)
    else:
        chosen = _of_reader(said, reader)
        put_lines(out, (judgment_lines if ending == ".csv" else json_lines)(chosen))
        facts |= {"judgments": len(chosen), "readers": sorted({one.reader for one in chosen})}
    emit(facts, [_said(facts)], json=json_wanted)


@click.command("import")
@click.argument("study")
@click.argument("file", metavar="FILE")
@as_json
def take_in(study: str, file: str, json_wanted: bool) -> None:
    """Add the judgments of FILE (.csv or .json, as `review export` writes them) to those of STUDY.

    All of them or none: a file with errors is refused with every error by its line. What the study has
    already is counted and skipped. They go into the database; no file of the study is changed.
    """
    from evalcore.features.review.read.exchange import import_file
    from evalcore.features.review.read.task_files import check_folder

    check_folder(Path(study))
    done = import_file(Path(study), Path(file))
    mention(done.report)
    tasks = sorted({one.task for one in done.new})
    facts = {"study": study, "file": file, "new": len(done.new), "known": done.known, "tasks": tasks}
    text = f"{len(done.new):,} judgments are new"
    of = f", of {plain(', '.join(tasks))}" if tasks else ""
    emit(facts, [f"{text}{of}; {done.known:,} were there already."], json=json_wanted)


def _of_reader(said: Iterable[Judgment], reader: str | None) -> list[Judgment]:
    said = list(said)
    chosen = [one for one in said if reader in (None, one.reader)]
    if reader is not None and not chosen:
        raise UnknownName("reader of this task", reader, {one.reader for one in said})
    return chosen


def _write_qrels(said: Iterable[Judgment], grades: int, reader: str | None, out: str) -> dict[str, Any]:
    from evalcore.features.review.qrels import qrels_of

    found = qrels_of(said, grades=grades, reader=reader)
    put_lines(out, found.lines())
    rule = f"of {reader}" if reader else "median of the readers, between two the lower"
    return {
        "grades": f"0 to {grades}, {rule}", "rows": len(found.rows), "readers": list(found.readers),
        "of_several": found.several, "settled": found.settled, "cannot_say": found.cannot_say,
        "simulated": found.simulated,
    }  # fmt: skip


def _said(facts: dict[str, Any]) -> str:
    readers = len(facts["readers"])
    who = f"{readers:,} {'reader' if readers == 1 else 'readers'}"
    if "rows" not in facts:
        return f"{facts['judgments']:,} judgments of {who}. Wrote {plain(facts['out'])}."
    text = (
        f"{facts['rows']:,} grades ({plain(facts['grades'])}) of {who}, {facts['of_several']:,} of them of "
        f"several, {facts['settled']:,} settled; {facts['cannot_say']:,} times somebody could not say."
    )
    if facts["simulated"]:
        text += f" {facts['simulated']:,} simulated judgments are left out."
    return f"{text} Wrote {plain(facts['out'])}."
