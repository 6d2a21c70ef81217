"""The board of a campaign: all submissions in a zip, who sent them, and their ranks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial

import pandas as pd
import streamlit as st

from evalcore.features.imageclef import read as workspace
from evalcore.features.imageclef.board_page import BY_TITLE, board_html, board_rows, notes_of
from evalcore.features.imageclef.captions.evaluate import read_caption_truth
from evalcore.features.imageclef.concepts.evaluate import read_concept_truth
from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.from_files import caption_score, concept_score
from evalcore.features.imageclef.organiser import RESOURCES, RUN_TYPES, By, Standings, boards, standings
from evalcore.features.imageclef.page import files as keys
from evalcore.features.imageclef.published import Published, included, read_published
from evalcore.features.imageclef.read import Kept, content, read_submission
from evalcore.features.imageclef.read_codabench import codabench
from evalcore.features.imageclef.read_submissions import COLUMNS, entries_of, read_entries, submissions
from evalcore.features.imageclef.result import Truth
from evalcore.features.imageclef.tables import failures_table, places_table
from evalcore.results.writers import frame
from evalcore.ui.components import download, fold, messages, select, table
from evalcore.ui.frame import jobs
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.markdown import md_escape
from evalcore.values.progress import Progress
from evalcore.values.writing import pluralize

RANK, ENTRIES = Key("rank"), Key("entries")
WAYS: Mapping[str, By] = {"Best run of each team": "team", "All runs": "all"}
_NEEDED = ("truth", "submissions")
_UPLOADS = {
    "truth": ("Ground truth", "The ground truth of each image."),
    "submissions": (
        "All submissions, in one zip",
        "A file or zip for each run, in a folder of its team or called TEAM__RUN.csv.",
    ),
    "manual": ("Manually checked ground truth", "For the secondary score."),
    "values": ("Scores of models, in one zip", "A table for each run, called like it."),
    "published": ("Published results to compare with", keys.EXPECTED["published"]),
}


def section(context: Context, edition: Edition) -> None:
    """The files, and the board as soon as there are truth and submissions."""
    task = edition.task
    kept = {file.part: file for file in workspace.kept(task) if file.part in (*_UPLOADS, "entries")}
    answer = st.container()
    _files(edition, kept)
    with answer:
        if not all(part in kept for part in _NEEDED):
            st.info("Upload a ground truth and a zip of all submissions.", icon=":material/upload:")
            return
        marks = [kept[part].mark for part in _UPLOADS if part in kept]
        made = jobs.run(
            f"campaign {digest_of([edition.task, edition.key, *marks])}",
            partial(_standings, edition, dict(kept)),
            label="Scoring all submissions",
        )
        if made is not None:
            _board(context, edition, _with_entries(made, kept.get("entries")), kept)


def _files(edition: Edition, kept: Mapping[str, Kept]) -> None:
    task, wrong = edition.task, keys.wrong(edition.task)
    parts = ["truth", "submissions", "manual" if edition.secondary == "manual" else "published"]
    if task == "captions":
        parts[-1] = "values"
    for place, part in zip(st.columns(len(parts), gap="medium"), parts, strict=True):
        label, why = _UPLOADS[part]
        with place:
            keys.uploader(task, part, label, help=why)
            keys.listed_files(task, [kept[part]] if part in kept else [])
    download.not_done(wrong)


def _standings(edition: Edition, kept: Mapping[str, Kept], progress: Progress) -> Standings:
    """Every submission scored; InputError when truth or submissions cannot be used."""
    truth, zipped = kept["truth"], kept["submissions"]
    with ExitStack() as stack:
        files = stack.enter_context(submissions(zipped.path, file=zipped.name))
        tables = (
            stack.enter_context(submissions(kept["values"].path, file=kept["values"].name))
            if "values" in kept and edition.task == "captions"
            else {}
        )
        if edition.task == "concepts":
            manual = kept.get("manual") if edition.secondary == "manual" else None
            checked = _concepts(manual, edition) if manual else None
            score = concept_score(_concepts(truth, edition), edition=edition, manual=checked)
        else:
            texts = read_caption_truth(content(truth), file=truth.name)
            score = caption_score(texts, edition=edition, tables=tables)
        sent, _ = entries_of(files, edition)
        return standings(
            lambda path: read_submission(files[path]), sent, score, edition=edition, progress=progress
        )


def _concepts(file: Kept, edition: Edition) -> Truth[tuple[str, ...]]:
    return read_concept_truth(content(file), file=file.name, edition=edition)


def _with_entries(made: Standings, table_of: Kept | None) -> Standings:
    """The standings with what the kept table of entries says of who sent what."""
    if table_of is None:
        return made
    try:
        entries, _ = read_entries(
            content(table_of), file=table_of.name, entries=[one.entry for one in made.entries]
        )
    except InputError as error:
        messages.failed(error, key="entries-problems")
        return made
    return made.sent_by(entries)


def _board(context: Context, edition: Edition, made: Standings, kept: Mapping[str, Kept]) -> None:
    published: Sequence[Published] = included(edition)
    if "published" in kept:
        try:
            published = read_published(content(kept["published"]), file=kept["published"].name)
        except InputError as error:
            messages.failed(error, key="published-problems")
    place = st.container()
    fold.section("Who sent which submission", _entries, edition, made, keep=ENTRIES)
    with place:
        notes = notes_of(made, included=bool(published) and "published" not in kept)
        messages.lead(md_escape(notes[0], limit=400))
        by = WAYS[select.segments("Rank", list(WAYS), keep=RANK)]
        for title, rows in boards(made, by=by, published=published).items():
            name = f"{title}: {BY_TITLE[by]}"
            st.markdown(f"**{md_escape(name)}**")
            table.declared(
                context,
                places_table(rows, metric=made.metric),
                key=f"board-{digest_of(title)}",
                stem=f"board_{by}_{title}",
                note=" ".join(md_escape(note, limit=400) for note in notes[1:]),
                alt=f"{name}, {pluralize(len(rows), 'run')}, best first",
            )
        if made.failures:
            st.markdown("**Without an official score**")
            failed = failures_table(made.failures, metric=made.metric)
            table.declared(
                context,
                failed,
                key="board-failures",
                stem="failures",
                alt=f"{pluralize(len(made.failures), 'submission')} without an official score, and why",
            )
        _downloads(edition, made, published, kept)


def _downloads(
    edition: Edition, made: Standings, published: Sequence[Published], kept: Mapping[str, Kept]
) -> None:
    with st.container(horizontal=True):
        own = "published" not in kept and bool(published)
        download.file(
            "Boards as HTML",
            lambda: board_html(made, published=published, included=own).encode(),
            f"board_{edition.key}_{edition.task}.html",
            "text/html",
            key="save-board-html",
        )
        download.csv(
            lambda: frame(board_rows(made, published=published)),
            f"board_{edition.key}_{edition.task}",
            label="Boards as CSV",
        )
        truths = [kept[part] for part in ("truth", "manual") if part in kept]
        download.file(
            "Scoring program for Codabench",
            lambda: codabench(edition, [(file.name, content(file)) for file in truths]),
            f"codabench_{edition.key}_{edition.task}.zip",
            "application/zip",
            key="save-codabench",
            help="The scoring program and the reference data of a task, so it contains the ground truth.",
        )


def _entries(edition: Edition, made: Standings) -> None:
    """A table in which team, run type and resources can be written; what is written is kept."""
    rows = pd.DataFrame([asdict(one.entry) for one in made.entries])[list(COLUMNS)]
    run_types, resources = (
        ["", *dict.fromkeys([*known.values(), *filter(None, rows[column])])]
        for column, known in (("run_type", RUN_TYPES), ("resources", RESOURCES))
    )
    edited = st.data_editor(
        rows,
        key="entries-editor",
        hide_index=True,
        disabled=["file"],
        column_config={
            "file": "File",
            "team": "Team",
            "run": "Run",
            "run_type": st.column_config.SelectboxColumn("Run type", options=run_types),
            "resources": st.column_config.SelectboxColumn("Resources", options=resources),
        },
    )
    changed = edited.fillna("")
    if changed.equals(rows):
        return
    try:
        workspace.keep(edition.task, "entries", "entries.csv", changed.to_csv(index=False).encode())
    except InputError as error:
        st.error(md_escape(str(error)), icon=":material/error:")
    else:
        st.rerun()
