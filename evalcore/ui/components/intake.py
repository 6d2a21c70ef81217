"""What the buttons of the data page do: open a study, take in a zip or a file, and say what came of it.

All are callbacks. Nothing loaded before is lost, and whatever the user can mend becomes a message.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from streamlit.runtime.uploaded_file_manager import UploadedFile

from evalcore.evaluate.coverage import relations_of
from evalcore.study.folder.kinds import OF_A_SYSTEM
from evalcore.study.workspace import workspace
from evalcore.ui.components import messages
from evalcore.ui.frame import pages, state, studies
from evalcore.values.bundled import SAMPLE
from evalcore.values.errors import InputError, Report
from evalcore.values.markdown import md_escape
from evalcore.values.model import Study
from evalcore.values.writing import listed, pluralize

A_NEW_STUDY = "A new study"
FIRST_NAME, FIRST_SYSTEM = "My study", "my_system"
_OF_KEEPING = ("kept-beside", "same-file", "renamed-system")
"""Rules of problems that only an upload has."""


say = partial(messages.say, pages.OUTCOME)
"""What the page says above all else when it is drawn again."""
guarded = messages.guarded(pages.OUTCOME)
"""Of every callback that changes a study."""


def switch(path: Path) -> None:
    """Callback: put the study of a folder on view."""
    studies.remember(path)
    state.change_study(studies.slug_of(path))


def chosen(key: str, missing: str) -> UploadedFile:
    """The file that an upload widget holds; where it holds none, an error that says so (``missing``)."""
    given = state.given(key)
    if given is None:
        raise InputError(missing)
    return given


@guarded
def open_sample() -> None:
    """Callback: the sample study."""
    switch(SAMPLE)
    say("good", "The sample study is open.")


@guarded
def open_folder() -> None:
    """Callback: the folder whose path was typed."""
    typed = str(state.get(pages.FOLDER) or "").strip()
    if not typed:
        raise InputError("Type the path of a study folder first.")
    path = Path(os.path.expanduser(typed))  # noqa: PTH111 -- never raises
    study = studies.opened(path)
    switch(path)
    say("good", f"Opened **{md_escape(study.name)}** with {pluralize(len(study.image_ids), 'image')}.")


@guarded
def add_zip() -> None:
    """Callback: the zip that was chosen."""
    given = chosen(pages.ZIP, "Select a zip file first.")
    path, report = workspace.add_study_zip(workspace.safe_name(Path(given.name).stem), given.getvalue())
    if path is None:
        say("bad", f"{md_escape(given.name)} was not added; nothing else was changed.", report)
        return
    state.empty(pages.ZIP)
    switch(path)
    say("mixed" if report.problems else "good", f"Added {md_escape(path.name)} to the workspace.", report)


@guarded
def add_part(*, replace: bool = False) -> None:
    """Callback: the file that was chosen, as a part of a new study, an uploaded one or an allowed folder.

    Where it would take the place of a part that is there, the page asks first (`would_replace`).
    """
    state.drop(pages.ASKED)
    given = chosen(pages.PART, "Select a file first.")
    kind = str(state.get(pages.KIND_OF_PART, "concepts"))
    system = str(state.get(pages.SYSTEM_NAME) or FIRST_SYSTEM) if kind in OF_A_SYSTEM else None
    folder: Path | None = targets().get(str(state.get(pages.TARGET, A_NEW_STUDY)))
    if folder is not None:
        if not replace and would_replace(folder, kind, system):
            state.set_plain(pages.ASKED, question(folder, kind, system, given.name))
            return
        report = workspace.add_part(
            folder, kind, given.name, given.getvalue(), system=system, in_place=studies.given(folder)
        )
    else:
        name = str(state.get(pages.NEW_NAME) or FIRST_NAME)
        folder, report = workspace.add_first_part(name, kind, given.name, given.getvalue(), system=system)
    _announce(folder, given.name, report, kind, system)


def would_replace(folder: Path, kind: str, system: str | None) -> bool:
    """Whether a file of this kind takes the place of another; those of the graph stand side by side."""
    return kind != "graph" and workspace.has_part(folder, kind, system=system)


def question(folder: Path, kind: str, system: str | None, file: str) -> tuple[str, str, str, str]:
    """What is asked before a part is replaced: it holds for this file, kind, system and study only."""
    return (str(folder), kind, system or "", file)


def targets() -> dict[str, Path]:
    """The studies that single files can be added to, by the names they are offered under.

    The uploaded ones, and folders opened in place that the reader allowed to change.
    """
    result = {workspace.readable(path.name): path for path in workspace.studies()}
    for slug, entry in studies.entries().items():
        if studies.given(entry.path) and not workspace.is_uploaded(entry.path):
            result[f"{slug} (opened folder)"] = entry.path
    return result


def _announce(folder: Path | None, filename: str, report: Report, kind: str, system: str | None) -> None:
    """Say what became of an upload, and open the study it belongs to when it can be opened."""
    file = md_escape(filename)
    if folder is None or messages.refused_outcome(report):
        errors = pluralize(report.total("error"), "error")
        say("bad", f"{file} was not saved ({errors}); what was loaded before is unchanged.", report)
        return
    state.empty(pages.PART)
    name = workspace.readable(folder.name)
    state.set_plain(pages.TARGET, next((one for one, path in targets().items() if path == folder), name))
    try:
        study = studies.opened(folder)
    except InputError:
        saved = f"{file} is saved in **{md_escape(name)}**. The study opens once its concepts are there."
        say("mixed", saved, report)
        return
    switch(folder)
    report = _with_part(report, study, folder, kind, system)
    n_errors = report.total("error")
    left_out = f"; because of {pluralize(n_errors, 'error')}, part of it was left out" if n_errors else ""
    more = relation_types(study) if kind == "graph" else ""
    news = f"{file} is now part of **{md_escape(name)}**{left_out}.{more}"
    say("mixed" if report.problems else "good", news, report)


def relation_types(study: Study) -> str:
    """Which relation types a graph follows and which not, where there is a choice."""
    uses = [use for use in relations_of(study) if use.relation]
    used, others = (
        list(dict.fromkeys(md_escape(use.relation, limit=40) for use in uses if use.followed == followed))
        for followed in (True, False)
    )
    if not others:
        return ""
    chosen = f"It follows {listed(used)}" if used else "It follows no relation type"
    return f" {chosen}, and not {listed(others)}: “{pages.READ}” offers the choice."


def _with_part(report: Report, study: Study, folder: Path, kind: str, system: str | None) -> Report:
    """What the study found in the files of a part, which is more than the file alone shows, and what became
    of the file."""
    key = workspace.known_as(folder, system) if system is not None else None
    files = [p.file for p in study.parts if p.kind == kind and key in (None, Path(p.file).parent.name)]
    if not files:
        return report
    kept = Report.of(problem for problem in report.problems if problem.rule in _OF_KEEPING)
    return sum((study.report.of_file(file) for file in files), kept)
