"""``review make``: write a task into a study."""

from __future__ import annotations

from dataclasses import asdict
from dataclasses import replace as _with
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalcore.cli.options import Whole, as_json, example
from evalcore.cli.output import STDOUT, TEXT_FILE, emit, mention, put_lines
from evalcore.cli.study_request import on_study
from evalcore.features.review.differences import differences
from evalcore.features.review.items import lists_of, plan_of, progress, teams_of
from evalcore.features.review.judgments import current, qrels_of
from evalcore.features.review.material import team_means, teams_table
from evalcore.features.review.read.database import in_words
from evalcore.features.review.read.judgment_files import json_lines, judgment_lines
from evalcore.features.review.read.material_files import files_beside, read_material
from evalcore.features.review.read.store import import_file
from evalcore.features.review.read.task_files import (
    check_folder,
    check_task,
    read_task,
    read_tasks,
    save_task,
)
from evalcore.features.review.read.together import judgments_in, judgments_of
from evalcore.features.review.tasks import FORMS, MAX_QUERIES, REASONS, Task, systems_to_judge
from evalcore.results.rows import Column, Table, plain
from evalcore.study.folder.layout import study_folder
from evalcore.study.workspace import workspace
from evalcore.values.errors import UnknownName
from evalcore.values.settings import MOST_SEED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalcore.cli.study_request import StudyRequest
    from evalcore.features.review.judgments import Judgment


@example("review make my_study --task chest --n-queries 10 --system hog --depth 5")
@on_study()
@click.option(
    "--task", "name", required=True, metavar="NAME", help="Name of a task: letters, digits, - and _."
)
@click.option("--title", help="Title that readers see. Default: the name.")
@click.option(
    "--kind",
    "form",
    type=click.Choice(FORMS),
    default="graded",
    show_default=True,
    help="graded: each result alone. preference: two lists side by side. panel: a whole list. ratings: "
    "each result by several criteria. material: what teams say about images, by several criteria.",
)
@click.option(
    "--material",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Of the kind material: a table image, team, caption, explanation, heat_map. Heat maps are in the "
    "folder called like it. Default teams and images: all of it.",
)
@click.option("--n-queries", "draw", type=Whole(1), help="Queries drawn at most: by the seed.", metavar="N")
@click.option("--query", "queries", multiple=True, metavar="ID", help="Instead: this query. Repeat.")
@click.option(
    "-s",
    "--system",
    "systems",
    multiple=True,
    metavar="S",
    help="A system: whose results are judged. Repeat. All with a run.",
)
@click.option(
    "--depth", type=Whole(), default=5, show_default=True, help="Results of each list: those judged."
)
@click.option(
    "--steps",
    "scale",
    type=click.Choice(["5", "100"]),
    default="5",
    show_default=True,
    help="5 steps, or 0 to 100.",
)
@click.option(
    "--seed",
    type=Whole(-MOST_SEED, MOST_SEED),
    default=0,
    show_default=True,
    help="Seed of random draws: queries, order and sides.",
)
@click.option("--instructions", default="", help="The question to readers, in your words.")
@click.option(
    "--reason",
    "reasons",
    multiple=True,
    help="A reason to tick. Repeat for several. Default: modality, organ, finding, …",
)
@click.option(
    "--criterion",
    "criteria",
    multiple=True,
    help="A criterion of the kinds ratings and material. Repeat for several.",
)
@click.option("--panel", is_flag=True, help="Also ask how satisfying each list is as a whole.")
@click.option("--replace", is_flag=True, help="Replace what has this name: the task.")
def make(
    request: StudyRequest,
    name: str,
    title: str | None,
    draw: int | None,
    queries: Sequence[str],
    systems: Sequence[str],
    scale: str,
    reasons: Sequence[str],
    criteria: Sequence[str],
    material: Path | None,
    replace: bool,
    **said: Any,
) -> None:
    """Write a task into STUDY, and print its questions.

    Do not change a task that already has judgments: other seeds and systems select other items.
    """
    if (said["form"] == "material") != (material is not None):
        raise click.UsageError("--kind material and --material FILE are given together.")
    if (draw and queries) or not (draw or queries or material):
        raise click.UsageError("Give one of --n-queries N and --query ID: which queries are judged.")
    study = request.study
    made, pictures = read_material(material, teams=systems) if material else ((), None)
    teams = tuple(dict.fromkeys(one.team for one in made))
    images = min(len({one.image for one in made}), MAX_QUERIES)
    task = Task(
        name=name,
        title=title or name,
        draw=0 if queries else draw or images,
        queries=tuple(queries),
        systems=tuple(systems) or teams or systems_to_judge(study),
        scale=100 if scale == "100" else 5,
        reasons=tuple(reasons) or REASONS,
        criteria=tuple(criteria),
        **said,
    )
    check_task(task)
    judged = _with(task, material=made, heat_maps=pictures)
    plan = plan_of(judged, lists_of(study, judged), reader="")
    folder = Path(request.folder)
    beside = files_beside(name, material, pictures) if material else {}
    in_place = not workspace.is_uploaded(folder)
    save_task(folder, task, in_place=in_place, replace=replace, beside=beside)
    facts = {
        "task": name,
        "form": task.form,
        "queries": list(plan.lists),
        "systems": list(task.systems),
        "items": len(plan.items),
        "same_lists": len(plan.equal),
        "file": f"review/{name}.toml",
    }
    what = "images" if material else "queries"
    text = f"{len(plan.lists):,} {what}, {len(plan.items):,} things to judge. Wrote {facts['file']}."
    if plan.equal:
        text += f" {len(plan.equal):,} pairs of lists are the same and are skipped."
    request.emit(facts, [text])


# ``review list`` and ``review show``: the tasks of a study, and how far readers are.

_COLUMNS = (
    Column("name", lambda one: one[0].name, "task"),
    Column("title", lambda one: one[0].title, "title"),
    Column("form", lambda one: one[0].form, "form"),
    Column("systems", lambda one: list(one[0].systems), "systems", ", ".join),
    Column("queries", lambda one: len(one[0].queries) or one[0].draw, "queries"),
    Column("readers", lambda one: len({said.reader for said in one[1]}), "readers"),
    Column("judgments", lambda one: len(one[1]), "judgments"),
)
_READERS = (
    Column("reader", lambda one: one[0], "reader"),
    Column("done", lambda one: one[1].done, "done"),
    Column("of", lambda one: one[1].n, "of"),
    Column("cannot_say", lambda one: sum(s.said == "cannot-say" for s in one[1].said.values()), "cannot say"),
)


@example("review tasks sample")
@click.command("list")
@click.argument("study")
@as_json
def list_tasks(study: str, json_wanted: bool) -> None:
    """List the tasks of STUDY and how much is judged.

    How many readers judged how much, and where that is kept. What was taken back does not count.
    """
    folder = study_folder(study)
    check_folder(folder)
    tasks, report = read_tasks(folder)
    mention(report + judgments_in(folder)[1])
    said = current(judgments_of(folder)) if tasks else ()
    table = Table([(task, [one for one in said if one.task == task.name]) for task in tasks], _COLUMNS)
    shown: list[str | Table] = [table] if tasks else ["The study has no tasks. `review make` writes one."]
    shown.append(f"\nJudgments are kept in {plain(in_words())}.")
    emit({"study": study, "database": in_words(), "tasks": table}, shown, json=json_wanted)


@example("review show sample simulated")
@on_study()
@click.argument("name")
def show(request: StudyRequest, name: str) -> None:
    """Show the task NAME, and how far each reader is.

    Also how often readers differ.
    """
    folder = study_folder(request.folder)
    check_folder(folder)
    task = read_task(folder, name)
    said = judgments_of(folder, name)
    lists = lists_of(request.study, task)
    readers = sorted({judgment.reader for judgment in said})
    done = Table(
        [(reader, progress(plan_of(task, lists, reader=reader), said)) for reader in readers], _READERS
    )
    differ = differences(plan_of(task, lists, reader=""), said)
    facts = {**asdict(_with(task, heat_maps=None, material=())), "queries": list(lists)}
    facts = {key: value for key, value in facts.items() if key not in ("heat_maps", "material")}
    people = [one for one in said if not one.simulated]
    teams = teams_table(task, team_means(task, people, teams_of(task))) if task.material else None
    document = {
        "study": request.folder,
        "task": facts,
        "readers": done,
        "differences": len(differ),
        **({"teams": teams} if teams else {}),
    }
    lines = [
        f"{key}: {plain(_text(value))}" for key, value in facts.items() if value not in ("", [], (), 0, None)
    ]
    tail: list[str | Table] = ["", done] if readers else ["", "There are no judgments yet."]
    if differ:
        tail.append(f"\nReaders differ on {len(differ):,}.")
    if teams and teams.rows:
        tail += ["", teams]
    request.emit(document, [*lines, *tail])


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


# ``review export`` and ``review import``: judgments as files.

_ENDINGS = (".csv", ".json", ".qrels")


@example("review export sample simulated --out judgments.csv")
@click.command()
@click.argument("study")
@click.argument("name")
@click.option(
    "--out",
    type=TEXT_FILE,
    required=True,
    metavar="FILE",
    help="Where to write: .csv, .json or .qrels, .gz after it packs it. - for CSV, printed.",
)
@click.option("--reader", help="Only this reader's answers. Default: the median of all readers.")
@click.option(
    "--grades",
    type=Whole(1, 1_000_000),
    metavar="N",
    help="Qrels: grades from 0 to N; usually 4 for a scale of 5 steps, 100 for one to 100.",
)
@as_json
def export(
    study: str, name: str, out: str, reader: str | None, grades: int | None, json_wanted: bool
) -> None:
    """Export the answers to the task NAME of STUDY.

    CSV and JSON contain every judgment with all fields, including those changed later or withdrawn, and
    `review import` reads them. Qrels contain one grade for each query and image, for trec_eval and similar
    programs: the median of several readers, between two grades the lower one. “Cannot say” and simulated
    readers are left out and counted.
    """
    ending = ".csv" if out == STDOUT else Path(out.removesuffix(".gz")).suffix.lower()
    if ending not in _ENDINGS:
        raise click.UsageError(f"--out must end in {', '.join(_ENDINGS)}; got {plain(out)}.")
    if grades is not None and ending != ".qrels":
        raise click.UsageError("--grades is of qrels only; leave it out.")
    folder = study_folder(study)
    check_folder(folder)
    mention(judgments_in(folder)[1])
    tasks, said = {one.name: one for one in read_tasks(folder)[0]}, judgments_of(folder, name)
    if name not in tasks and not said:
        raise UnknownName("task", name, {*tasks, *(judgment.task for judgment in judgments_of(folder))})
    facts: dict[str, Any] = {"study": study, "task": name, "out": out}
    if ending == ".qrels":
        task = tasks.get(name)
        top = grades or (100 if task is not None and task.scale == 100 else 4)
        facts |= _write_qrels(said, top, reader, out)
    else:
        chosen = _of_reader(said, reader)
        put_lines(out, (judgment_lines if ending == ".csv" else json_lines)(chosen))
        facts |= {"judgments": len(chosen), "readers": sorted({judgment.reader for judgment in chosen})}
    emit(facts, [_said(facts)], json=json_wanted)


@example("review import my_study judgments.csv")
@click.command("import")
@click.argument("study")
@click.argument("file", metavar="FILE")
@as_json
def take_in(study: str, file: str, json_wanted: bool) -> None:
    """Add the judgments of FILE to those of STUDY.

    FILE is .csv or .json, as `review export` writes them. All of them or none: a file with errors is refused
    with every error by its line. Judgments the study already has are counted and skipped. They go into the
    database; no file of the study is changed.
    """
    check_folder(Path(study))
    done = import_file(Path(study), Path(file))
    mention(done.report)
    tasks = sorted({judgment.task for judgment in done.new})
    facts = {"study": study, "file": file, "new": len(done.new), "known": done.known, "tasks": tasks}
    text = f"{len(done.new):,} judgments are new"
    of = f", of {plain(', '.join(tasks))}" if tasks else ""
    emit(facts, [f"{text}{of}; {done.known:,} were there already."], json=json_wanted)


def _of_reader(judgments: Iterable[Judgment], reader: str | None) -> list[Judgment]:
    judgments = list(judgments)
    chosen = [judgment for judgment in judgments if reader in (None, judgment.reader)]
    if reader is not None and not chosen:
        raise UnknownName("reader of this task", reader, {judgment.reader for judgment in judgments})
    return chosen


def _write_qrels(judgments: Iterable[Judgment], grades: int, reader: str | None, out: str) -> dict[str, Any]:
    qrels = qrels_of(judgments, grades=grades, reader=reader)
    put_lines(out, qrels.lines())
    rule = f"of {reader}" if reader else "median of the readers, between two the lower"
    return {
        "grades": f"0 to {grades}, {rule}",
        "rows": len(qrels.rows),
        "readers": list(qrels.readers),
        "of_several": qrels.several,
        "cannot_say": qrels.cannot_say,
        "simulated": qrels.simulated,
    }


def _said(facts: dict[str, Any]) -> str:
    readers = len(facts["readers"])
    who = f"{readers:,} {'reader' if readers == 1 else 'readers'}"
    if "rows" not in facts:
        return f"{facts['judgments']:,} judgments of {who}. Wrote {plain(facts['out'])}."
    text = (
        f"{facts['rows']:,} grades ({plain(facts['grades'])}) of {who}, {facts['of_several']:,} of them of "
        f"several; {facts['cannot_say']:,} times “cannot say”."
    )
    if facts["simulated"]:
        text += f" {facts['simulated']:,} simulated judgments are left out."
    return f"{text} Wrote {plain(facts['out'])}."
