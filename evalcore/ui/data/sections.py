"""The parts of the data page that look: what was read, what was found wrong, what is covered."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.figures.data import concepts_per_image, coverage_bars, unknown_concepts
from evalcore.figures.numbers import number, percent, things
from evalcore.study.folder.kinds import KINDS
from evalcore.study.workspace import workspace
from evalcore.ui.components import download, figure, messages, table
from evalcore.ui.data import coverage, duplicates, keys, relations
from evalcore.ui.frame import cache
from evalcore.values.markdown import md_escape, plain

if TYPE_CHECKING:
    from evalcore.study.coverage import StudyCoverage
    from evalcore.ui.frame.context import Context
    from evalcore.values.model import Part, Study


def headline(study: Study) -> None:
    """What the study holds and whether anything is wrong, in two sentences."""
    known = coverage.facts(study)
    errors, remarks = messages.kinds_of_problems(study.report)
    messages.lead(f"{_holds(study, known)} {_verdict(errors, remarks)}")
    if study.description:
        st.caption(md_escape(study.description, limit=400))


def _holds(study: Study, known: StudyCoverage) -> str:
    share = percent(known.concepts_in_graph, known.concepts)
    graph = "no concept graph, so related concepts cannot be counted"
    if study.graph is not None:
        graph = f"a concept graph that contains {share} of their different concepts"
    elif study.knows_neighbours:
        graph = "a neighbour dictionary in place of a concept graph"
    systems = things(len(study.systems), "system") if study.systems else "no systems yet"
    if not study.concepts.annotated.any():
        texts = f" and {things(known.captions, 'caption')}" if known.captions else ""
        return (
            f"**{md_escape(study.name)}** holds {things(len(study.image_ids), 'image')}{texts}, {systems}, "
            "and **no concepts yet**."
        )
    return (
        f"**{md_escape(study.name)}** holds {things(len(study.image_ids), 'image')} with "
        f"{number(known.concepts_per_image_mean)} concepts each, {systems}, and {graph}."
    )


def _verdict(errors: int, remarks: int) -> str:
    if errors:
        return (
            f"**{things(errors, 'error')}** (what they concern is left out) and {things(remarks, 'remark')}."
        )
    return (
        f"All files loaded; {things(remarks, 'remark')}." if remarks else "All files loaded without problems."
    )


def read(context: Context) -> None:
    """Each file with its format, rows and verdict; every problem, with the way out; the whole as zip; the
    relation types of the graph."""
    study = context.study
    rows = pd.DataFrame([_part_row(study, part) for part in study.parts])
    table.bare(
        rows, key="parts", alt=f"{things(len(rows), 'file')} of the study with their verdict",
        columns=table.numbers("localized", "Rows", "Errors", "Remarks"),
    )  # fmt: skip
    if study.report.problems:
        st.header("Problems in the files", anchor=False)
        st.caption(
            "Files with errors are left out until they are corrected. Remarks do not stop the study; they "
            "are listed here."
        )
        messages.problems(study.report, key="problems")
    else:
        st.success("No problems were found in the files.", icon=":material/check_circle:")
    whole(study)
    relations.section(context)


def _part_row(study: Study, part: Part) -> dict[str, str | int]:
    by = dict.fromkeys(("error", "warning"), 0)
    for (severity, file, _), n in study.report.counts.items():
        if file == part.file:
            by[severity] += n
    verdict = "✗ left out" if not part.used else "⚠ in part" if by["error"] else "✓ used"
    return {
        "Verdict": verdict, "What": KINDS[part.kind].title, "File": plain(part.file),
        "Format": plain(part.format), "Rows": part.rows, "Errors": by["error"], "Remarks": by["warning"],
    }  # fmt: skip


def covered(context: Context) -> None:
    """Coverage bars, concepts per image, concepts the graph does not know, the systems, near duplicates."""
    study, theme = context.study, context.theme
    known = coverage.facts(study)
    bars = coverage.rows(study, known)
    left, right = figure.side_by_side()
    with left:
        figure.show(context, coverage_bars(bars, theme=theme), key="coverage")
    with right:
        sizes, annotated = study.concepts.sizes, study.concepts.annotated
        if annotated.any():
            drawn = concepts_per_image(sizes, annotated, theme=theme)
            figure.show(context, drawn, key="per-image", file="concepts-per-image")
        else:
            st.info("No image has concepts yet. Find them in the captions under “Find concepts”.")
    _unknown(context, known)
    _systems(study, known)
    duplicates.section(context)


def _unknown(context: Context, known: StudyCoverage) -> None:
    if not context.study.knows_neighbours:
        st.info(
            "This study has no concept graph, so related concepts cannot be counted. "
            "Add one under “Open or upload”.",
            icon=":material/account_tree:",
        )
    elif context.study.graph is not None and known.unknown:
        names, unknown = context.study.names, dict(known.unknown)
        figure.show(context, unknown_concepts(unknown, names=names, theme=context.theme), key="unknown")


def _systems(study: Study, known: StudyCoverage) -> None:
    if not known.systems:
        st.caption("No systems: @iou and @nn-iou rank the images by the concepts themselves.")
        return
    n = len(study.queries)
    rows = pd.DataFrame(
        {
            "System": [plain(s.system) for s in known.systems],
            "Queries answered": [s.answered for s in known.systems],
            "Share": [percent(s.answered, n) for s in known.systems],
            "Shortest list": [s.shortest for s in known.systems],
            "Longest list": [s.longest for s in known.systems],
            "Queries with equal scores": [s.tied for s in known.systems],
            "Images with a vector": [s.embedded for s in known.systems],
            "Images searched": [s.searched for s in known.systems],
            "Itself returned": [_count(study, s.system, "self-hit") for s in known.systems],
        }
    )
    st.header("Systems", anchor=False)
    whole = table.numbers("localized", *(name for name in rows.columns if name not in {"System", "Share"}))
    table.bare(
        rows, key="system-facts", alt=f"{things(len(rows), 'system')} and what each returned",
        columns=whole | {"Share": st.column_config.TextColumn(alignment="right")},
    )  # fmt: skip
    st.caption(
        f"Of {things(n, 'query', 'queries')}. A query returned as its own result is removed and counted. "
        "Equal scores are put in the order of image ids. Images searched: those with a vector or in some "
        "result; all candidates where a run alone does not show that some were left out."
    )
    if len({s.searched for s in known.systems}) > 1:
        st.info(
            "The systems search different images. They are compared over the images that all of them search, "
            "unless “Queries counted” says otherwise.",
            icon=":material/balance:",
        )


def _count(study: Study, system: str, rule: str) -> int:
    return sum(
        n
        for (_, file, found), n in study.report.counts.items()
        if found == rule and f"/{study.looks[system].key}/" in f"/{file}"
    )


def whole(study: Study) -> None:
    """The whole study folder as one zip."""
    if study.path is None:
        return
    if study.images is not None and not study.images.folder.is_relative_to(study.path):
        outside = md_escape(workspace.readable(str(study.images.folder)))
        st.caption(
            f"The pictures lie outside the study, in {outside}: they are read there, never changed, and not "
            "part of the zip."
        )
    folder = study.path
    key = ("why not packed", study.digest, os.fsencode(folder))
    why_not = cache.remember(key, lambda: workspace.why_not_packed(folder))
    if why_not:
        st.info(md_escape(why_not, limit=600), icon=":material/folder_copy:")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        judged = bool(study.systems) and st.checkbox(
            "Include the readers’ judgments", key=keys.WITH_JUDGMENTS,
            help="Adds what readers said on the Review page, as files in the folder review: with their "
            "codes and comments.",
        )  # fmt: skip
        download.file(
            "Download study.zip", lambda: workspace.zip_study(folder, judgments=judged),
            f"{workspace.safe_name(study.name)}.zip", "application/zip", icon=":material/folder_zip:",
            key="download", help="Everything in the study folder; a colleague can open it as it is.",
        )  # fmt: skip
