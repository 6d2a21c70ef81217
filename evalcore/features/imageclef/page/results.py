"""The parts of the challenge page that compare runs: the finding, the board, published results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from evalcore import __version__
from evalcore.features.imageclef.editions import Edition
from evalcore.features.imageclef.page import files as keys
from evalcore.features.imageclef.published import TEST_SET, Published, included, placed, read_published
from evalcore.features.imageclef.results import Board, Result, board, compared_by
from evalcore.features.imageclef.scoring import Files, Scored
from evalcore.features.imageclef.tables import SCORE, published_table, runs_table, title
from evalcore.figures.frame import Reading
from evalcore.figures.systems import leaderboard_dots
from evalcore.ui.components import figure, fold, messages, select, table, tiles
from evalcore.ui.frame import jobs
from evalcore.ui.frame.context import Context
from evalcore.values.arrays import Bools, Floats, digest_of, position
from evalcore.values.errors import InputError
from evalcore.values.model import Study
from evalcore.values.writing import NOTHING, count, listed, md_escape, number, plain, pluralize

HOW_TO_READ = Reading(
    "Each mark is the average score of a run; its line shows where the average would probably lie with other "
    "images. If the lines of two runs overlap a lot, do not call one better.",
    "Mean over the images with its 95% interval (percentile bootstrap over images, seed 0). Overlap of "
    "intervals is no test; see the paired differences in the table.",
)
MOST_PLACES = 5
WIDTHS = {"Team": 225, "Run": 410, "Resources": 345}
"""Columns of the published results, in pixels."""


def finding(results: Sequence[Result[Any]]) -> None:
    """Whether the runs would be accepted, and the best official score."""
    accepted = [result for result in results if result.accepted]
    refused = [f"**{md_escape(result.name)}**" for result in results if not result.accepted]
    official = [result for result in accepted if not isnan(result.headline)]
    sentences = []
    if official:
        best = max(official, key=lambda result: result.headline)
        ranking = best.edition.ranking
        by = f" by {title(ranking)}, which decides the task’s ranking," if ranking else ""
        sentences.append(
            f"**{md_escape(best.name)}** scores **{number(best.headline, digits=4)}**{by} over "
            f"{pluralize(best.n_images, 'image')}."
        )
    elif accepted:
        metric = compared_by(results)
        first = max(accepted, key=lambda result: result.metric(metric))
        sentences.append(
            "The score that decides the ranking cannot be computed yet, because values of other metrics are "
            f"missing (see “{keys.BEHIND}”). By {title(metric)}, **{md_escape(first.name)}** scores "
            f"**{number(first.metric(metric))}**{', the highest' if len(accepted) > 1 else ''}."
        )
    if refused:
        which = "it has" if len(refused) == 1 else "they have"
        sentences.append(
            f"The official script would refuse {listed(refused, limit=3)}; {which} no official score."
        )
    messages.lead(" ".join(sentences))


def compared(context: Context, scored: Scored) -> str:
    """All runs: scores, intervals over images, and tests against one of them, whose name is returned."""
    for error in scored.unusable:
        first = error.report.problems[0] if error.report and error.report.problems else None
        why = f"{error} {first.message} {first.remedy}" if first else str(error)
        st.warning(md_escape(why, limit=500), icon=":material/rule:")
    ordered = sorted(scored.results, key=lambda result: not result.accepted)
    names = [one.name for one in ordered]
    place, baseline = st.container(), names[0]
    if len(names) > 1:
        baseline = select.one("Compare with", names, keep=keys.AGAINST, width=320)
    metric = compared_by(scored.results)
    columns = [result.values[metric] for result in scored.results]
    result = jobs.run(
        f"challenge board {digest_of(metric, names, baseline, *columns)}",
        lambda _progress: board(scored.results, baseline=baseline),
        label="Comparing the runs",
    )
    if result is not None:
        official = [one.name for one in ordered if one.accepted] or names
        drawn = leaderboard_dots(
            {name: result.intervals[name] for name in official},
            metric=title(result.metric),
            systems=[result.name for result in scored.results],
            theme=context.theme,
            unit="image",
            kind="run",
            baseline=baseline if result.compared else None,
        )
        with place:
            shown = replace(drawn, how_to_read=HOW_TO_READ)
            figure.show(context, shown, key="challenge-dots", file="challenge")
            if len(official) < len(names):
                left_out = listed([md_escape(name) for name in names if name not in official], limit=3)
                st.caption(f"Not drawn, as they have no official score: {left_out}.")
            messages.few([mean.n for mean in result.intervals.values()], of="images")
        _table(context, scored.results, result)
    return baseline


def _table(context: Context, results: Sequence[Result[Any]], board: Board) -> None:
    """One row per run; details for researchers and in the file."""
    table.declared(
        context,
        runs_table(results, board),
        key="challenge-board",
        placeholder=NOTHING,
        stem="challenge",
        note=_method(context, results, board),
        alt=f"Scores of {pluralize(len(results), 'run')}",
        columns=table.names(context, "Run"),
    )


def _method(context: Context, results: Sequence[Result[Any]], board: Board) -> str:
    """By what the runs are compared where it is not the official score, and what the differences are."""
    metric, lines = md_escape(title(board.metric)), []
    edition = results[0].edition
    if board.metric != edition.headline:
        lines.append(f"Compared by {metric}, because not every run has the score that decides the ranking.")
    if edition.ranking and not context.choice.plain:
        script, task = title(edition.primary), title(edition.ranking)
        lines.append(f"The official script prints {script}; the task ranks by {task}.")
    if board.compared:
        one = max(board.compared, key=lambda c: c.n_resamples)
        what = f"Difference: {metric} minus that of {md_escape(one.baseline)}, image by image"
        resamples = f", {count(one.n_resamples)} resamples" if one.n_resamples else ""
        lines.append(
            f"{what}. If its interval excludes zero, it is unlikely to be due to chance."
            if context.choice.plain
            else f"{what}; {md_escape(one.test)}{resamples}, seed {one.seed}; Holm’s correction."
        )
    return " ".join(lines)


def published(context: Context, files: Files, edition: Edition, results: Sequence[Result[Any]]) -> None:
    """The runs among published results, each with its source; nothing where there are none."""
    own = files.part("published")
    try:
        rows = included(edition) if own is None else read_published(own.data, file=own.name)
    except InputError as error:
        messages.failed(error, key="published-problems")
        return
    if not rows:
        return
    ranked = placed(rows, {result.name: result.headline for result in results if result.accepted})
    _places(ranked, len(rows))
    fold.section("Published results", _published, context, rows, own is None, ranked, keep=keys.PUBLISHED)


def _published(
    context: Context, rows: Sequence[Published], of_program: bool, ranked: Sequence[Published]
) -> None:
    one_source = len({row.source for row in rows}) == 1
    note = f"Source: {md_escape(rows[0].source, limit=200)}. " if one_source else ""
    if of_program:
        note += (
            f"These results were scored on {TEST_SET}. Compare yours with them only if your files are that "
            "test set."
        )
    saved = published_table(ranked)
    table.declared(
        context,
        saved._replace(
            columns=[column for column in saved.columns if not (one_source and column.title == "Source")]
        ),
        saved=saved,
        key="published",
        stem="published",
        note=note.strip(),
        alt="Published results and yours, best first",
        columns={
            "Score ↑": st.column_config.NumberColumn(format=SCORE, width=80),
            **{name: st.column_config.TextColumn(width=width) for name, width in WIDTHS.items()},
        },
    )


def _places(ranked: Sequence[Published], n: int) -> None:
    """How many published results are at least as good as each run; the best runs, when there are many."""
    sentences, many = [], pluralize(n, "published result")
    for run, score in {row.run: row.score for row in ranked if not row.published}.items():
        above = sum(row.published and row.score >= score for row in ranked)
        some = f": {count(above)} of {many} {'is' if above == 1 else 'are'} as good or better"
        none = f" is better than {'all' if n > 1 else 'the'} {many}"
        sentences.append(f"**{md_escape(run, limit=60)}**{some if above else none}.")
    if sentences:
        st.markdown(" ".join(sentences[:MOST_PLACES]))


# The images of one run: which went wrong, and for one of them what is true and what was predicted.

ALL, NOTHING_RIGHT, PERFECT = "All", "Nothing right", "Perfect"
BETTER, WORSE = "Better than the baseline", "Worse than the baseline"


def section(context: Context, results: Sequence[Result[Any]], one: Result[Any], baseline: str) -> None:
    """Scores per image, lowest first, and the image that is selected, at first the lowest."""
    metric = compared_by(results)
    columns = {each.name: each.values[metric] for each in results}
    column, reference = columns[one.name], columns[baseline] if one.name != baseline else None
    score = f"{title(metric)} ↑"
    offered = (ALL, NOTHING_RIGHT, PERFECT, *((BETTER, WORSE) if reference is not None else ()))
    wanted = select.segments("Show", offered, keep=keys.IMAGES, label_visibility="collapsed")
    order = np.argsort(np.where(np.isnan(column), np.inf, column), kind="stable")
    order = order[kept(wanted, column, reference)[order]]
    if not len(order):
        st.info("No image matches.", icon=":material/search_off:")
        return
    rows = pd.DataFrame({"Image": [plain(image) for image in one.images], score: column})
    if reference is not None:
        rows["Difference"] = column - reference
    row = table.show(
        rows.iloc[order],
        key=f"images-{digest_of(one.name, wanted)}",
        choose=True,
        height=300,
        placeholder=NOTHING,
        file=f"{one.name.rsplit('.', 1)[0]}_images",
        saved=lambda: _tidy(one, metric, column, reference, baseline),
        note=f"{pluralize(len(order), 'image')}, lowest score first. "
        "Select a row to see what is true and what "
        "was predicted.",
        alt=f"{title(metric)} of {pluralize(len(order), 'image')}, lowest first",
        columns=table.numbers(SCORE, *rows.columns[1:]),
    )
    _one(context.study, one, one.images[int(order[row or 0])])


def kept(wanted: str, column: Floats, reference: Floats | None) -> Bools:
    """Which images a filter keeps; ``reference`` are the scores of the baseline, None for itself."""
    masks: dict[str, Bools] = {NOTHING_RIGHT: column == 0, PERFECT: column >= 1}
    if reference is not None:
        masks |= {BETTER: column > reference, WORSE: column < reference}
    return masks.get(wanted, np.ones(len(column), bool))


def _one(study: Study, one: Result[Any], image: str) -> None:
    """Picture and caption, where the open study has them, beside truth and prediction."""
    known = position(study.image_ids, image)
    shown = tiles.tile(study, known) if known >= 0 else None
    texts = st.container()
    if shown is not None:
        picture, texts = st.columns([1, 2.2], gap="medium")
        picture.image(shown, alt=f"Image {plain(image)}", width="stretch")
    with texts:
        st.markdown(f"**{md_escape(image)}**")
        if one.detail is not None:
            _concepts(study, one, image)
        else:
            st.markdown(f"**True:** {md_escape(one.truth.get(image, '') or 'nothing')}")
            st.markdown(f"**Predicted:** {md_escape(one.run.read.get(image, '') or 'nothing')}")
        caption = study.caption_of(known)
        if caption and one.detail is not None:
            st.markdown(f"**Caption in the open study:** {md_escape(caption)}")
        if shown is None:
            st.caption("The open study has no picture of this image.")


def _concepts(study: Study, one: Result[tuple[str, ...]], image: str) -> None:
    true = {cui.strip() for cui in one.truth.get(image, ()) if cui.strip()}
    own = {cui.strip() for cui in one.run.read.get(image, ()) if cui.strip()}
    rows = (
        ("Found", "green", ":material/check:", true & own),
        ("Missed", "orange", ":material/remove:", true - own),
        ("Wrong", "blue", ":material/add:", own - true),
    )
    for heading, colour, icon, cuis in rows:
        names = " ".join(f":{colour}-badge[{icon} {md_escape(study.name_of(cui))}]" for cui in sorted(cuis))
        st.markdown(f"**{heading}:** {names or NOTHING}")


def _tidy(
    one: Result[Any], metric: str, column: Floats, reference: Floats | None, baseline: str
) -> pd.DataFrame:
    """One row per image, for the file."""
    rows = pd.DataFrame({"run": one.name, "image": one.images, "metric": metric, "value": column})
    if reference is not None:
        rows = rows.assign(compared_with=baseline, difference=column - reference)
    return rows.assign(edition=one.edition.key, version=__version__)
