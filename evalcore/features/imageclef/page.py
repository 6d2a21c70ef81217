"""The Challenge page: one upload, the verdict of the official script, scores, and each run in detail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isnan
from typing import Any, cast

import numpy as np
import pandas as pd
import streamlit as st

from evalcore.features.imageclef.editions import EDITIONS, Edition, Task, edition_of
from evalcore.features.imageclef.published import TEST_SET, published_results, rank_among
from evalcore.features.imageclef.scoring import (
    PER_RUN,
    Files,
    Result,
    Scored,
    Source,
    board_of,
    compared_by,
    score_captions,
    score_concepts,
)
from evalcore.features.imageclef.tables import (
    PLACES,
    about_scores,
    images_table,
    metrics_table,
    published_table,
    runs_table,
)
from evalcore.features.imageclef.uploads import ROLES, Upload, assign_roles, content_of, files_of, run_of
from evalcore.figures.frame import Reading
from evalcore.figures.systems import leaderboard_dots
from evalcore.ui.components import download, figure, fold, messages, select, table
from evalcore.ui.frame import cache, jobs, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values import events
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.model import Study
from evalcore.values.progress import Progress
from evalcore.values.writing import file_size, listed, md_escape, number, pluralize

TASK, EDITION, AGAINST, RUN = Key("task"), Key("edition"), Key("against"), Key("run")
DETAILS, PUBLISHED = Key("details"), Key("published_results")
"""What is closed at first."""
PROBLEMS, BEHIND, PER_IMAGE = "Problems", "Behind the score", "Images"
"""The tabs about one run, as links call them."""
UPLOADS, NOT_DONE = "challenge_files", "challenge_not_done"
TASKS = {"concepts": "Concept detection", "captions": "Caption prediction"}
MAX_MB = 100
MOST = 512 << 20
"""Bytes that all files can have together."""
MOST_EXAMPLES = 3
LISTED_UNSCROLLED, SCROLLED = 5, 300
"""Files listed before the list scrolls, and how high it is then, in pixels."""
HOW_TO_READ = Reading(
    "Each mark is the average score of a run; its line shows where the average would probably lie with other "
    "images. If the lines of two runs overlap a lot, do not call one better.",
    "Mean over the images with its 95% interval (percentile bootstrap over images, seed 0). Overlap of "
    "intervals is no test; see the paired differences in the table.",
)


def show(context: Context) -> None:
    """The files, or an example while there are none; then verdicts, scores and each run in detail."""
    _upload()
    state.follow_default(TASK)
    with st.container(horizontal=True, vertical_alignment="bottom", key="challenge-asked"):
        contents = [upload.content for upload in _uploads().values()]
        recognised = "captions" if "captions" in contents else "concepts"
        task = cast("Task", select.selectbox("Task", TASKS, param=TASK, first=recognised, width=200))
        help = "Each year has its own file format, rules and evaluation script."
        year = select.selectbox("Edition", EDITIONS, param=EDITION, first="2025", width=300, help=help)
    edition = edition_of(task, year)
    files = _files(task) if _uploads() else _example(context, edition)
    if files is None:
        if _uploads() or not context.study.runs:
            st.info("Upload a ground truth and at least one run.", icon=":material/info:")
        return
    scored = _score(edition, files)
    if scored is None:
        return
    _verdict(scored.results)
    _compare(context, scored.results)
    _published(context, edition, scored.results)
    heading = "Run details: problems in the file, what the score is made of, images"
    fold.section(heading, _run_details, context, scored.results, param=DETAILS)


# Files: uploaded in one place, recognised, kept for the session, removable.


def _uploads() -> dict[str, Upload]:
    """The files of this session by name, in the order they came."""
    uploads: dict[str, Upload] = st.session_state.setdefault(UPLOADS, {})
    return uploads


def _upload() -> None:
    """One place for all files, with any ending, because submissions may have none (DET, PRED)."""
    st.file_uploader(
        "Ground truth and runs, as you would submit them",
        accept_multiple_files=True,
        key=state.uploader_key("upload-files"),
        max_upload_size=MAX_MB,
        on_change=download.take,
        args=("upload-files", _keep, NOT_DONE),
        help="A ground truth and any number of runs, plain or zipped; also a manually checked truth, and "
        "values or concepts that were computed elsewhere. What each file is for is recognised by its content "
        "and name, and can be changed.",
    )
    download.not_done(NOT_DONE)


def _keep(name: str, data: bytes) -> None:
    """Keep a file in place of the one of its name; InputError where all become too large together."""
    uploads = _uploads()
    others = (len(upload.source.data) for other, upload in uploads.items() if other != name)
    if len(data) + sum(others) > MOST:
        raise InputError(f"{name} does not fit: the files can have {file_size(MOST)} together. Remove some.")
    role = uploads[name].role if name in uploads else ""
    source = Source(name, data, digest_of(name, np.frombuffer(data, np.uint8)))
    uploads[name] = Upload(source, content_of(data), role)
    events.record("uploaded", kind="challenge", file=name, bytes=len(data))


def _forget(name: str) -> None:
    _uploads().pop(name, None)


def _choose_role(name: str, widget: str) -> None:
    _uploads()[name] = _uploads()[name]._replace(role=st.session_state[widget])


def _files(task: Task) -> Files | None:
    """Every file with its role; None before there is a truth and a run."""
    roles, sources = assign_roles(_uploads(), task), [upload.source for upload in _uploads().values()]
    runs = [source for source in sources if roles[source.name] == "run"]
    height: Any = SCROLLED if len(sources) > LISTED_UNSCROLLED else "content"
    with st.container(height=height, border=False, gap="xxsmall"):
        for source in sources:
            role = roles[source.name]
            belongs = run_of(source.name, runs) if role in PER_RUN and runs else ""
            _list_file(source, role, ROLES[task], belongs)
    return files_of(sources, roles)


def _list_file(source: Source, role: str, roles: Mapping[str, str], run: str) -> None:
    """A file, its role, the run it belongs to, and the button that removes it."""
    name, widget = md_escape(source.name, limit=60), f"role-{source.mark}"
    left, right = st.columns([1, 2], gap="small", vertical_alignment="center")
    state.bind_widget(widget, role)
    left.selectbox(
        f"What {name} is for",
        list(roles),
        format_func=roles.__getitem__,
        key=widget,
        label_visibility="collapsed",
        on_change=_choose_role,
        args=(source.name, widget),
    )
    with right:
        whose = f" :gray[for {md_escape(run, limit=40)}]" if run else ""
        label = f"{name}{whose} :gray[{file_size(len(source.data))}]"
        download.removable(label, name, source.mark, partial(_forget, source.name), NOT_DONE)


# An example submission made of the open study, so that checking and scoring can be tried at once.


def _example(context: Context, edition: Edition) -> Files | None:
    """Files made from the open study; None where it has no rankings."""
    study = context.study
    if not study.runs:
        return None
    what = "concepts" if edition.task == "concepts" else "caption"
    st.caption(
        f":material/science: This is an example: each image takes the {what} of its top hit in a system of "
        "the open study, and the run “damaged” contains deliberate errors. Upload files to check and score "
        "yours. Nothing is sent anywhere."
    )
    key = ("challenge example", study.digest, edition.task, edition.key)
    return cache.cached(key, lambda: example_files(study, edition))


def example_files(study: Study, edition: Edition) -> Files:
    """Truth and runs: each image with the content of the image that a system returns first for it.

    A damaged copy of the first run comes last. The study has at least one system with a run file.
    """
    n, cell = len(study.image_ids), edition.cell
    texts = [text or "" for text in study.captions.texts] if study.captions else [""] * n
    if edition.task == "concepts":
        texts = [edition.separator.join(sorted(study.concepts.of_image(i))) for i in range(n)]
    column = "CUIs" if edition.task == "concepts" else "Caption"

    def written(text: str) -> str:
        """The text of a cell; what separates cells is quoted, or becomes a space."""
        if cell != ",":
            return text.replace(cell, " ")
        return '"' + text.replace('"', '""') + '"' if set(text) & set(',"') else text

    def rows(contents: Sequence[str]) -> str:
        head = "" if edition.header == "none" else f"ID{cell}{column}\n"
        pairs = zip(study.image_ids, contents, strict=True)
        return head + "".join(f"{written(image)}{cell}{written(text)}\n" for image, text in pairs)

    prefix = f"{edition.prefix}_" if edition.prefix else ""
    made = {"truth": rows(texts)}
    for system in list(study.runs)[:MOST_EXAMPLES]:
        answers = [study.runs[system].answer(image, include_self=False)[0] for image in range(n)]
        firsts = [int(answer[0]) if len(answer) else -1 for answer in answers]
        made[prefix + system] = rows([texts[first] if first >= 0 else "" for first in firsts])
    damaged = list(made.values())[1].replace(cell, f".jpg{cell}", 3).replace("\n", "\n\n", 2)
    made[f"{prefix}damaged"] = damaged
    mark = digest_of("example", study.digest, edition.task, edition.key)
    truth, *runs = (Source(f"{name}.csv", text.encode(), f"{mark} {name}") for name, text in made.items())
    return Files(truth, tuple(runs))


# The results.


def _score(edition: Edition, files: Files) -> Scored | None:
    """The results of all runs; None while they are computed and, with a message, for an unusable truth."""

    def work(progress: Progress) -> Scored | InputError:
        """An unusable truth is a result too: its problems are shown line by line."""
        try:
            if edition.task == "concepts":
                return score_concepts(files, edition=edition)
            return score_captions(files, progress, edition=edition)
        except InputError as error:
            return error

    key = f"challenge {digest_of([edition.task, edition.key, files.digest])}"
    scored = jobs.run(key, work, label="Checking and scoring")
    if isinstance(scored, InputError):
        messages.failed(scored, key="truth-problems")
        return None
    for error in scored.unusable if scored else ():
        first = error.report.problems[0] if error.report and error.report.problems else None
        why = f"{error} {first.message} {first.remedy}" if first else str(error)
        st.warning(md_escape(why, limit=500), icon=":material/rule:")
    return scored


def _verdict(results: Sequence[Result]) -> None:
    """The best score, and which runs the official script would refuse."""
    accepted = [result for result in results if result.accepted]
    refused = [f"**{md_escape(result.name)}**" for result in results if not result.accepted]
    ranked = [result for result in accepted if not isnan(result.headline)]
    metric = results[0].edition.headline if ranked else compared_by(results)
    sentences = []
    if accepted:
        best = max(ranked or accepted, key=lambda result: result.metric(metric))
        score, n = number(best.metric(metric), PLACES), pluralize(best.n_images, "image")
        sentences.append(f"**{md_escape(best.name)}** scores **{score}** by {metric} over {n}.")
    if accepted and not ranked:
        sentences.append(
            "The score that decides the ranking cannot be computed yet, because values of other metrics are "
            f"missing (see “{BEHIND}”)."
        )
    if refused:
        which = "it has" if len(refused) == 1 else "they have"
        names = listed(refused, limit=3)
        sentences.append(f"The official script would refuse {names}; {which} no official score.")
    messages.headline(" ".join(sentences))


def _compare(context: Context, results: Sequence[Result]) -> None:
    """All runs: scores, intervals over images, and tests against one of them."""
    accepted = [result.name for result in results if result.accepted]
    names = accepted + [result.name for result in results if not result.accepted]
    place, baseline = st.container(), names[0]
    if len(names) > 1:
        baseline = select.selectbox("Compare with", names, param=AGAINST, width=320)
    metric = compared_by(results)
    key = digest_of(metric, names, baseline, *(result.values[metric] for result in results))
    board = jobs.run(
        f"challenge board {key}",
        lambda _progress: board_of(results, baseline=baseline),
        label="Comparing the runs",
    )
    if board is None:
        return
    drawn = leaderboard_dots(
        {name: board.intervals[name] for name in accepted or names},
        metric=metric,
        systems=[result.name for result in results],
        theme=context.theme,
        unit="image",
        kind="run",
        places=PLACES,
        baseline=baseline if board.comparisons else None,
    )
    with place:
        drawn = replace(drawn, how_to_read=HOW_TO_READ)
        figure.show(context, drawn, key="challenge-dots", file="challenge")
        messages.small_sample_warning([mean.n for mean in board.intervals.values()], unit="images")
    lines = about_scores(results, metric)
    if board.comparisons:
        lines.append(
            f"Difference: {md_escape(metric)} minus that of {md_escape(baseline)}, image by image. If "
            "its interval excludes zero, it is unlikely to be due to chance."
        )
        if not context.choice.plain:
            first = board.comparisons[0]
            corrected = "" if first.correction == "none" else f", {first.correction} correction"
            lines.append(f"Test: {md_escape(first.test)}, seed {first.seed}{corrected}.")
    table.results_table(
        context,
        runs_table(results, board),
        key="challenge-board",
        stem="challenge",
        note=" ".join(lines),
        alt=f"Scores of {pluralize(len(results), 'run')}",
        columns=table.names(context, "Run"),
    )


def _published(context: Context, edition: Edition, results: Sequence[Result]) -> None:
    """The runs among published results; nothing where there are none."""
    published = published_results(edition)
    if not published:
        return
    ranked = rank_among(published, {run.name: run.headline for run in results if run.accepted})
    note = (
        f"Source: {md_escape(published[0].source, limit=200)}. These results were scored on {TEST_SET}. "
        "Compare yours with them only if your files are that test set."
    )
    draw = partial(
        table.results_table, key="published", stem="published", note=note, alt="Published results and yours"
    )
    fold.section("Published results", draw, context, published_table(ranked), param=PUBLISHED)


def _run_details(context: Context, results: Sequence[Result]) -> None:
    """One run: its problems, what its score is made of, and its images."""
    by_name = {result.name: result for result in results}
    result = by_name[select.selectbox("Run", list(by_name), param=RUN, width=320)]
    parts = {
        PROBLEMS: lambda: _problems(result),
        **({BEHIND: lambda: _behind(result)} if result.edition.task == "captions" else {}),
        PER_IMAGE: lambda: _images(context, result, compared_by(results)),
    }
    select.parts(parts)


def _problems(result: Result) -> None:
    """Every problem of the file, those at which the official script stops first."""
    if not result.report.problems:
        st.success(
            "No problems found: the file follows the rules of this edition.", icon=":material/check_circle:"
        )
        return
    problems = pluralize(result.n_problems, "problem")
    st.caption(f"{problems}. The official script stops at an error and goes on after a remark.")
    messages.problems(result.report, key="challenge-problems")


def _behind(result: Result) -> None:
    """Every caption metric, and what is missing."""
    cells = {name: list(map(_cell, cells)) for name, cells in metrics_table([result]).on_page().items()}
    alt = "Caption metrics of the run, and what is missing for the others"
    table.wrapped(pd.DataFrame(cells), alt=alt, cards="metrics")


def _cell(value: object) -> str:
    """A cell of Markdown."""
    return number(value, PLACES) if isinstance(value, float) else md_escape(str(value), limit=400)


def _images(context: Context, result: Result, metric: str) -> None:
    """Every image with what is true and what was predicted, lowest score first."""
    images = images_table([result], metric, context.study.names)
    order = np.argsort(np.nan_to_num(result.values[metric], nan=np.inf), kind="stable").tolist()
    table.results_table(
        context,
        images._replace(rows=[images.rows[at] for at in order]),
        key=f"images-{digest_of(result.name)}",
        stem=f"{result.name.rsplit('.', 1)[0]}_images",
        height=360,
        note=f"{pluralize(len(order), 'image')}, lowest score first.",
        alt=f"{metric} of {pluralize(len(order), 'image')}, lowest first",
    )
