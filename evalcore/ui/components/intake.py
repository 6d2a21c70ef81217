"""What the buttons that bring data in do: open a study, or add files to one, and say what came of it.

All but `restorable` are callbacks. Nothing loaded before is lost, and whatever the user can correct becomes a
message.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from evalcore.study.parts.recognise import STUDY, UNKNOWN, Recognised
from evalcore.study.workspace import home, uploads
from evalcore.study.workspace.file_names import readable
from evalcore.study.workspace.home import is_uploaded
from evalcore.study.workspace.removed import Removed, restore
from evalcore.study.workspace.uploads import Added, has_part
from evalcore.ui.components import messages
from evalcore.ui.frame import pages, state, studies
from evalcore.values.account import NotAllowed, is_restricted
from evalcore.values.bundled import SAMPLE
from evalcore.values.errors import InputError, Report
from evalcore.values.model import Study
from evalcore.values.writing import listed, md_escape, pluralize

A_NEW_STUDY, FIRST_NAME = "A new study", "My study"
_OF_KEEPING = ("kept-beside", "renamed-system")
"""Rules of problems that only an upload has."""


guarded = messages.guarded(pages.OUTCOME)
"""Of every callback that changes a study."""


def announce(kind: messages.Kind, sentence: str, report: Report | None = None) -> None:
    """Callback: what the page says above all else when it is drawn again."""
    messages.announce(pages.OUTCOME, kind, sentence, report)
    state.redraw_page()


def switch(path: Path) -> None:
    """Callback: put the study of a folder on view."""
    studies.note_opened(path)
    state.change_study(studies.slug_of(path))


@guarded
def open_sample() -> None:
    """Callback: the sample study."""
    switch(SAMPLE)
    announce("good", "The sample study is open.")


@guarded
def open_folder() -> None:
    """Callback: the folder whose path was typed."""
    if is_restricted():
        what = "Opening folders by their path is for administrators of this server only"
        raise NotAllowed(f"{what}. Ask one of them.")
    typed = str(state.get(pages.FOLDER) or "").strip()
    if not typed:
        raise InputError("Type the path of a study folder first.")
    path = Path(os.path.expanduser(typed))  # noqa: PTH111 -- never raises
    study = studies.opened(path)
    switch(path)
    announce(
        "good", f"Opened **{md_escape(study.name)}** with {pluralize(study.concepts.n_images, 'image')}."
    )


@guarded
def add_files(files: Sequence[Recognised], target: str) -> None:
    """Callback: files as the page shows them, into a new study, an uploaded one or an allowed folder."""
    folder = targets().get(target)
    if folder is None and target != A_NEW_STUDY:
        raise InputError(f"{target} is no longer there, so nothing was added. Choose another study.")
    name = str(state.get(pages.NEW_NAME) or "").strip() or FIRST_NAME
    in_place = folder is not None and studies.is_allowed(folder)
    added = uploads.add_files(files, folder or name, in_place=in_place)
    refused = md_escape(listed(list(added.refused), limit=4), limit=300)
    if added.folder is None:
        errors = pluralize(added.report.total("error"), "error")
        were = "was" if len(added.refused) == 1 else "were"
        what = f"{refused} {were} not saved ({errors}); what was loaded before is unchanged."
        announce("bad", what, added.report)
        return
    state.empty(pages.FILES)
    shown = readable(added.folder.name)
    state.set_plain(
        pages.TARGET, next((name for name, path in targets().items() if path == added.folder), shown)
    )
    lost = f" {refused} could not be used." if refused else ""
    try:
        study = studies.opened(added.folder)
    except InputError:
        text = f"Saved in **{md_escape(shown)}**, which opens once its concepts or captions are added.{lost}"
        announce("mixed", text, added.report)
        return
    switch(added.folder)
    report = _with_parts(added, study)
    n = pluralize(len(added.kept), "file")
    remarks = messages.kinds_of_problems(report)[1]
    more = f" {pluralize(remarks, 'remark')} on the page Data." if remarks else ""
    text = f"**{md_escape(study.name)}** is open: {n} added.{lost}{more}"
    faults = report.of_severity("error")
    announce("mixed" if faults else "good", text, Report.of(faults))
    if not study.concepts.annotated.any():
        state.set_value(state.TAB, pages.FIND_CONCEPTS)
    elif study.systems and not faults:
        state.set_plain(pages.LEAVE_FOR_RESULTS, True)


def replaced(folder: Path | None, file: Recognised) -> bool:
    """Whether a file takes the place of another; those of graphs and vectors of concepts are added."""
    adds = ("graph", "concept_vectors", STUDY, UNKNOWN)
    return folder is not None and file.kind not in adds and has_part(folder, file.kind, system=file.system)


def targets() -> dict[str, Path]:
    """The studies that single files can be added to, by the names they are offered under.

    The uploaded ones, and folders opened in place that the reader allowed to change.
    """
    result = {readable(path.name): path for path in home.studies()}
    for slug, entry in studies.entries().items():
        if studies.is_allowed(entry.path) and not is_uploaded(entry.path):
            result[f"{slug} (opened folder)"] = entry.path
    return result


def _with_parts(added: Added, study: Study) -> Report:
    """What the study found in its files, which is more than a file alone shows, and what became of the files
    when they were kept."""
    refused = {Path(file).name for file in added.refused}
    kept = Report.of(
        problem for problem in added.report.problems if problem.rule in _OF_KEEPING or problem.file in refused
    )
    return sum((study.report.of_file(part.file) for part in study.parts), kept)


def restorable(removed: Sequence[Removed]) -> None:
    """What was removed, how long it can be restored, and the button that does."""
    for each in removed:
        name, left = md_escape(readable(each.name), limit=60), pluralize(each.days_left, "day")
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{name}** :gray[removed, {left} left]", width="content")
            st.button(
                f"Restore {name}",
                key=f"restore-{each.aside.name}",
                icon=":material/undo:",
                type="tertiary",
                on_click=_restore,
                args=(each,),
            )


@guarded
def _restore(removed: Removed) -> None:
    """Callback: undo a removal; a study is on view then."""
    study = restore(removed)
    if not removed.study:
        switch(study)
    name = removed.name if removed.study else study.name
    announce("good", f"**{md_escape(readable(name), limit=60)}** is restored.")
