"""The parts of the data page that look: what was read, what was found wrong, what is covered."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from evalcore.evaluate import duplicates
from evalcore.evaluate.coverage import RelationUse, StudyCoverage, coverage, relations_of
from evalcore.evaluate.judges import judgment_files
from evalcore.figures.counts import Coverage, concepts_per_image, coverage_bars, unknown_concepts
from evalcore.results.judges import files_table, on_one_side
from evalcore.results.study import duplicates_table, parts_table, relations_table, returned_table
from evalcore.study.workspace import workspace
from evalcore.ui.components import download, figure, fold, intake, messages, select, table
from evalcore.ui.data import labels
from evalcore.ui.frame import cache, jobs, pages, state, studies
from evalcore.ui.frame.context import Context, StudyEntry
from evalcore.ui.frame.state import Key
from evalcore.values.account import is_restricted
from evalcore.values.arrays import digest_of
from evalcore.values.model import Study
from evalcore.values.writing import count, listed, md_escape, number, percent, plain, pluralize

# How much of a study is there, computed once per study, and as the rows of the coverage figure.


def facts(study: Study) -> StudyCoverage:
    """Everything the coverage section says about a study."""
    return cache.share(("coverage", study.digest, study.systems), lambda: coverage(study))


def rows(study: Study, held: StudyCoverage) -> tuple[Coverage, ...]:
    """One bar for each kind of information the study has."""
    result = [
        Coverage(
            "Images with concepts", held.images - held.not_annotated - held.without_concepts, held.images
        )
    ]
    if study.captions is not None:
        result.append(Coverage("Images with a caption", held.captions, held.images))
    if study.images is not None:
        result.append(Coverage("Images with a picture", held.pictures, held.images))
    result += [Coverage(f"Images with label “{name}”", n, held.images) for name, n in held.labelled]
    if study.graph is not None:
        result.append(Coverage("Different concepts in the graph", held.concepts_in_graph, held.concepts))
        used = Coverage("Concepts in the graph, each time used", held.occurrences_in_graph, held.occurrences)
        result.append(used)
    return (*result, Coverage("Concepts with a name", held.concepts_named, held.concepts))


# Near duplicates of the data page: pairs, and the groups they propose.

NEAR, RELATION_TYPES, UNKNOWN = Key("near"), Key("relation_types"), Key("not_in_graph")
JUDGED = Key("judged_by_others")


def duplicates_section(context: Context) -> None:
    """Looked for when asked: every picture has to be read."""
    study = context.study
    if study.images is None and study.captions is None:
        return
    fold.section(
        "**Near duplicates**: images and captions that are nearly the same",
        _duplicates,
        context,
        keep=NEAR,
        opened_by=(pages.DUPLICATES,),
    )


def _duplicates(context: Context) -> None:
    study = context.study
    wanted = select.switch(
        "Look for images that are nearly the same",
        keep=pages.DUPLICATES,
        help="Compares all pictures by a perceptual hash, and all captions letter by letter.",
    )
    if not wanted:
        return
    result = jobs.run(
        f"duplicates-{study.digest}-{study.images and study.images.folder}",
        lambda progress: duplicates.near_duplicates(study, progress=progress),
        label="Looking for near duplicates",
    )
    if result is not None:
        _pairs(context, result)


def _pairs(context: Context, result: duplicates.Duplicates) -> None:
    study = context.study
    st.markdown(
        f"Of {pluralize(result.n_pictures, 'picture')}, **{pluralize(result.n_alike, 'pair')}** are "
        "near-identical; "
        f"of {pluralize(result.n_captions, 'caption')}, **{pluralize(result.n_same_caption, 'pair')}** are "
        "identical."
    )
    if not result.pairs:
        return
    table.declared(
        context,
        duplicates_table(study, result),
        key="duplicates",
        file="near-duplicates",
        renamed={"first": "image", "second": "other_image", "bits": "bits_that_differ"},
        note=f"Difference hash of {count(duplicates.BITS)} bits; at most {duplicates.NEAR} differ. Turned, "
        "mirrored and cropped copies are not found. Of images with one caption, each is shown beside the "
        "first.",
        alt=f"{pluralize(len(result.pairs), 'pair')} of images that are nearly the same",
    )
    proposed = duplicates.proposed(study, result)
    rows = pd.DataFrame(duplicates.group_rows(study, proposed), columns=["ID", proposed.name])
    st.markdown(
        f"As groups these are {pluralize(proposed.n, 'group')} of {pluralize(len(rows), 'image')}. Look at "
        "the "
        "pairs, then upload the file under “Open or upload”: results of the query’s own group are then left "
        "out."
    )
    download.csv(rows, "groups", label="groups.csv")


# Which relation types of the graph files are followed: what there is, and the choice.

UNNAMED = "(unnamed)"


def relations_section(context: Context) -> None:
    """The relation types with their links, and a form that chooses those which count; nothing without any."""
    uses = relations_of(context.study)
    if not uses or not any(one.relation for one in uses):
        return
    fold.section("**Relation types of the concept graph**", _relations, context, uses, keep=RELATION_TYPES)


def _relations(context: Context, uses: Sequence[RelationUse]) -> None:
    st.caption(_summary(uses))
    table.declared(
        context,
        relations_table(uses),
        key="relation-types",
        alt=f"{pluralize(len(uses), 'relation type')} of the graph files with their links",
    )
    _form(context, uses, may=studies.ask(context.entry, key="relations"))


def _summary(uses: Sequence[RelationUse]) -> str:
    used = [one for one in uses if one.followed]
    names = [f"“{md_escape(one.relation, limit=40) or UNNAMED}” ({count(one.links)})" for one in used[:5]]
    said = f"The graph has these links: {listed(names)}." if names else "The graph has none of them."
    return (
        f"{said} Other link types are ignored. “isa” says that one concept is a kind of the other, “part_of” "
        "that it is a part of it."
    )


def _form(context: Context, uses: Sequence[RelationUse], *, may: bool) -> None:
    names = list(dict.fromkeys(one.relation for one in uses))
    now = [name for name in names if any(one.followed and one.relation == name for one in uses)]
    form = digest_of([*names, "", *now, str(context.entry.path)])[:12]
    with st.form("relations", border=True):
        st.multiselect(
            "Relation types to follow",
            names,
            now,
            key=f"{pages.RELATIONS}-{form}",
            disabled=not may,
            format_func=lambda name: plain(name) or UNNAMED,
            placeholder="As the files have them: “isa” of ontologies, all links of tables",
            help="Written to study.toml as rela under [graph]. The graph and every number based on it are "
            "recalculated.",
        )
        st.form_submit_button(
            "Follow these",
            icon=":material/account_tree:",
            key="save-relations",
            disabled=not may,
            on_click=_save,
            args=(context, form),
        )


@intake.guarded
def _save(context: Context, form: str) -> None:
    """Callback: the chosen relation types are those of the graph from now on."""
    chosen = list(state.get(f"{pages.RELATIONS}-{form}") or ())
    folder = context.entry.path
    report = workspace.follow(folder, chosen, in_place=studies.given(folder))
    names = ", ".join(md_escape(name, limit=40) or UNNAMED for name in chosen)
    intake.say("good", f"The graph follows {names or 'what its files have'} now.", report)


def headline(study: Study) -> None:
    """What the study holds and whether anything is wrong, in two sentences."""
    known = facts(study)
    errors, remarks = messages.kinds_of_problems(study.report)
    messages.lead(f"{_holds(study, known)} {_verdict(errors, remarks)}")
    if study.description:
        st.caption(md_escape(study.description, limit=400))


def _holds(study: Study, known: StudyCoverage) -> str:
    share = percent(known.concepts_in_graph, known.concepts)
    graph = "no concept graph, so related concepts cannot be counted"
    if study.graph is not None:
        graph = f"a terminology that covers {share} of the concepts used"
    elif study.knows_neighbours:
        graph = "a neighbour dictionary in place of a concept graph"
    systems = pluralize(len(study.systems), "system") if study.systems else "no systems yet"
    if not study.concepts.annotated.any():
        texts = f" and {pluralize(known.captions, 'caption')}" if known.captions else ""
        return (
            f"**{md_escape(study.name)}**: {pluralize(study.concepts.n_images, 'image')}{texts}, "
            f"{systems}, "
            "and **no concepts yet**."
        )
    return (
        f"**{md_escape(study.name)}**: {pluralize(study.concepts.n_images, 'image')}, on average "
        f"{number(known.concepts_per_image_mean)} concepts each, {systems}, and {graph}."
    )


def _verdict(errors: int, remarks: int) -> str:
    if errors:
        left_out = f"**{pluralize(errors, 'error')}** (what they concern is left out)"
        return f"{left_out} and {pluralize(remarks, 'remark')}."
    return (
        f"All files loaded; {pluralize(remarks, 'remark')}."
        if remarks
        else "All files loaded without problems."
    )


def read(context: Context) -> None:
    """Each file with its format, rows and status; every problem, with the way out; the whole as zip; the
    relation types of the graph."""
    study = context.study
    table.declared(
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
    whole(context)
    relations_section(context)


def covered(context: Context) -> None:
    """Coverage bars, concepts per image, concepts not in the graph, the systems, duplicates, labels from
    concepts."""
    study, theme = context.study, figure.within(context).theme
    known = facts(study)
    bars = rows(study, known)
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
    _systems(context, known)
    if study.qrels:
        fold.section("**Judgments of others**: what they cover", _judged, context, keep=JUDGED)
    duplicates_section(context)
    labels.section(context)


def _judged(context: Context) -> None:
    study, k = context.study, context.choice.k
    key = ("judgments cover", study.digest, study.systems, k)
    files = cache.share(key, lambda: judgment_files(study, k=k))
    table.declared(
        context,
        files_table(files),
        key="judged-by-others",
        alt="Files of judgments, with how much each contains and the share judged in the top results",
        stem="judgments",
        note=f"Judged in top {k}: a result without a judgment counts as not relevant, so a low share means "
        "that scores by this file are too low.",
    )
    for sentence in on_one_side(files):
        st.caption(md_escape(sentence))


def _unknown(context: Context, known: StudyCoverage) -> None:
    if not context.study.knows_neighbours:
        st.info(
            "This study has no concept graph, so related concepts cannot be counted. "
            "Add one under “Open or upload”.",
            icon=":material/account_tree:",
        )
    elif context.study.graph is not None and known.unknown:
        title = "**Concepts that the terminology does not contain**"
        fold.section(title, _not_in_graph, context, known, keep=UNKNOWN)


def _not_in_graph(context: Context, known: StudyCoverage) -> None:
    names, unknown = context.study.names, dict(known.unknown)
    figure.show(context, unknown_concepts(unknown, names=names, theme=context.theme), key="unknown")


def _systems(context: Context, known: StudyCoverage) -> None:
    study = context.study
    if not known.systems:
        st.caption("No systems: @iou and @nn-iou rank the images by the concepts themselves.")
        return
    st.header("Systems", anchor=False)
    table.declared(
        context,
        returned_table(study, known.systems),
        key="system-facts",
        alt=f"{pluralize(len(known.systems), 'system')} and what each returned",
    )
    st.caption(
        f"Of {pluralize(len(study.queries), 'query', 'queries')}. A query returned as its own result is "
        "removed and counted. Equal scores are put in the order of image ids. Images searched: those with a "
        "vector or in some result; all candidates where a run alone does not show that some were left out."
    )
    if len({s.searched for s in known.systems}) > 1:
        st.info(
            "The systems search different images. They are compared over the images that all of them search, "
            "unless “Queries counted” says otherwise.",
            icon=":material/balance:",
        )


def whole(context: Context) -> None:
    """The whole study folder as one zip."""
    study = context.study
    if study.path is None:
        return
    if study.images is not None and not study.images.folder.is_relative_to(study.path):
        outside = "another folder of the server"
        if not is_restricted():
            outside = md_escape(workspace.readable(str(study.images.folder)))
        st.caption(
            f"The pictures are outside the study, in {outside}: they are read there, never changed, and not "
            "part of the zip."
        )
    folder = study.path
    key = ("why not packed", study.digest, os.fsencode(folder))
    why_not = cache.remember(key, lambda: workspace.why_not_packed(folder))
    if why_not:
        st.info(md_escape(why_not, limit=600), icon=":material/folder_copy:")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        download.file(
            "Download study.zip",
            partial(_packed, context.entry, folder),
            f"{workspace.safe_name(study.name)}.zip",
            "application/zip",
            icon=":material/folder_zip:",
            key="download",
            help="Everything in the study folder; a colleague can open it as it is.",
        )


def _packed(entry: StudyEntry, folder: Path) -> bytes:
    """The zip, as long as the study is open to whoever asked for it."""
    studies.check_open(entry.path)
    return workspace.zip_study(folder)
