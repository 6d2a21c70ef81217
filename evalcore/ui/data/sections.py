"""The parts of the data page that look: what was read, what was found wrong, what is covered."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from evalcore.evaluate import duplicates
from evalcore.evaluate.coverage import StudyCoverage, coverage
from evalcore.results.study import coverage_table, duplicates_table, parts_table
from evalcore.study.workspace.file_names import readable, safe_name
from evalcore.study.workspace.uploads import why_not_packed, zip_study
from evalcore.ui.components import download, fold, messages, select, table
from evalcore.ui.data import labels
from evalcore.ui.frame import cache, jobs, studies
from evalcore.ui.frame.context import Context, StudyEntry
from evalcore.ui.frame.state import Key
from evalcore.values.account import is_restricted
from evalcore.values.model import Study
from evalcore.values.writing import listed, md_escape, number, percent, pluralize

NEAR = Key("near")
DUPLICATES = Key("duplicates", of_study=True)
"""The folds, and whether duplicates are looked for."""
MOST_UNKNOWN = 15
"""Concepts that are not in the graph, named on the page."""


def facts(study: Study) -> StudyCoverage:
    """How much of a study is there, computed once per study."""
    return cache.cached(("coverage", study.digest, study.systems), lambda: coverage(study))


def headline(study: Study) -> None:
    """What the study holds and whether anything is wrong, in two sentences."""
    known, name = facts(study), f"**{md_escape(study.name)}**"
    errors, remarks = messages.kinds_of_problems(study.report)
    images = pluralize(study.concepts.n_images, "image")
    systems = pluralize(len(study.systems), "system") if study.systems else "no systems yet"
    graph = "no concept graph, so related concepts cannot be counted"
    if study.graph is not None:
        share = percent(known.concepts_in_graph, known.concepts)
        graph = f"a terminology that covers {share} of the concepts used"
    elif study.knows_neighbours:
        graph = "a neighbour dictionary in place of a concept graph"
    if study.concepts.annotated.any():
        each = number(known.concepts_per_image_mean)
        holds = f"{name}: {images}, on average {each} concepts each, {systems}, and {graph}."
    else:
        texts = f" and {pluralize(known.captions, 'caption')}" if known.captions else ""
        holds = f"{name}: {images}{texts}, {systems}, and **no concepts yet**."
    messages.headline(f"{holds} {verdict(errors, remarks)}")
    if study.description:
        st.caption(md_escape(study.description, limit=400))


def verdict(errors: int, remarks: int) -> str:
    """Whether the files of a study could be used.

    >>> verdict(0, 0), verdict(0, 2)
    ('All files loaded without problems.', 'All files loaded; 2 remarks.')
    """
    if errors:
        left_out = f"**{pluralize(errors, 'error')}** (what they concern is left out)"
        return f"{left_out} and {pluralize(remarks, 'remark')}."
    return (
        f"All files loaded; {pluralize(remarks, 'remark')}."
        if remarks
        else "All files loaded without problems."
    )


# Files: what was read of each, what was found wrong, the whole as a zip, the links of the graph.


def read(context: Context) -> None:
    """Each file with its format, rows and status; every problem, with the way out; the whole as zip."""
    study = context.study
    table.results_table(
        context,
        parts_table(study),
        key="parts",
        alt=f"{pluralize(len(study.parts), 'file')} of the study with their status",
    )
    if study.report.problems:
        st.header("Problems in the files", anchor=False)
        st.caption(
            "Files with errors are left out until they are corrected. Remarks do not stop the study; they "
            "are listed here."
        )
        messages.problems(study.report, key="problems")
    else:
        st.success("No problems were found in the files.", icon=":material/check_circle:")
    if study.path is not None:
        _whole(context, study.path)


def _whole(context: Context, folder: Path) -> None:
    """The whole study folder as one zip."""
    study = context.study
    if study.images is not None and not study.images.folder.is_relative_to(folder):
        outside = "another folder of the server"
        if not is_restricted():
            outside = md_escape(readable(str(study.images.folder)))
        st.caption(
            f"The pictures are outside the study, in {outside}: they are read there, never changed, and not "
            "part of the zip."
        )
    key = ("why not packed", study.digest, os.fsencode(folder))
    why_not = cache.cached(key, lambda: why_not_packed(folder))
    if why_not:
        st.info(md_escape(why_not, limit=600), icon=":material/folder_copy:")
        return
    download.file(
        "Download study.zip",
        partial(_packed, context.entry, folder),
        f"{safe_name(study.name)}.zip",
        "application/zip",
        icon=":material/folder_zip:",
        key="download",
        help="Everything in the study folder; a colleague can open it as it is.",
    )


def _packed(entry: StudyEntry, folder: Path) -> bytes:
    """The zip, as long as the study is open to whoever asked for it."""
    studies.check_open(entry.path)
    return zip_study(folder)


# Coverage: how much of each kind of information is there.


def covered(context: Context) -> None:
    """How much has what, concepts not in the graph, duplicates, labels."""
    study, known = context.study, facts(context.study)
    table.results_table(context, coverage_table(known), key="coverage", alt="How much of the study has what")
    if not study.concepts.annotated.any():
        st.info("No image has concepts yet. Find them in the captions under “Find concepts”.")
    if not study.knows_neighbours:
        st.info(
            "This study has no concept graph, so related concepts cannot be counted. "
            "Add one under “New study”.",
            icon=":material/account_tree:",
        )
    elif study.graph is not None and known.unknown:
        frequent = [f"{study.name_of(cui)} ({n:,})" for cui, n in known.unknown]
        st.markdown(
            "Concepts that the terminology does not contain, which can match only exactly, with their "
            f"number of images: {md_escape(listed(frequent, limit=MOST_UNKNOWN))}."
        )
    if study.images is not None or study.captions is not None:
        title = "Near duplicates: images and captions that are nearly the same"
        fold.section(title, _duplicates, context, param=NEAR)
    labels.section(context)


def _duplicates(context: Context) -> None:
    """Looked for when asked: every picture has to be read."""
    study = context.study
    wanted = select.switch(
        "Look for images that are nearly the same",
        param=DUPLICATES,
        help="Compares all pictures by a perceptual hash.",
    )
    if not wanted:
        return
    result = jobs.run(
        f"duplicates-{study.digest}-{study.images and study.images.folder}",
        lambda progress: duplicates.near_duplicates(study, progress=progress),
        label="Looking for near duplicates",
    )
    if result is None:
        return
    st.markdown(
        f"Of {pluralize(result.n_pictures, 'picture')}, **{pluralize(len(result.pairs), 'pair')}** are "
        "near-identical."
    )
    if not result.pairs:
        return
    table.results_table(
        context,
        duplicates_table(study, result),
        key="duplicates",
        file="near-duplicates",
        note=f"Difference hash of {duplicates.BITS:,} bits; at most {duplicates.NEAR} differ. Turned, "
        "mirrored and cropped copies are not found.",
        alt=f"{pluralize(len(result.pairs), 'pair')} of images that are nearly the same",
    )
    proposed = duplicates.proposed(study, result)
    rows = pd.DataFrame(duplicates.group_rows(study, proposed), columns=["ID", proposed.name])
    st.markdown(
        f"As groups these are {pluralize(proposed.n, 'group')} of {pluralize(len(rows), 'image')}. Look at "
        "the pairs, then upload the file under “New study”: results of the query’s own group are then left "
        "out."
    )
    download.csv(rows, "groups", label="groups.csv")
