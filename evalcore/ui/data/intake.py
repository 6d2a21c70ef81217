"""What the buttons of the data page do: open a study, take in a zip or a file, and say what came of it.

All are callbacks. Nothing loaded before is lost, and whatever the user can mend becomes a message.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evalcore.errors import CuiscopeError, InputError
from evalcore.figures.numbers import things
from evalcore.model import Report
from evalcore.sources import workspace
from evalcore.ui.components.text import md_escape
from evalcore.ui.data import keys
from evalcore.ui.frame import state, studies

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamlit.runtime.uploaded_file_manager import UploadedFile

    from evalcore.model import Study

OF_A_SYSTEM = ("run", "embeddings")
A_NEW_STUDY = "A new study"
FIRST_NAME, FIRST_SYSTEM = "My study", "my_system"
_NOT_KEPT = "not-kept"


def _switch(path: Path) -> None:
    """Put the study of a folder on view."""
    workspace.remember(path)
    where = path.resolve()
    state.change_study(next(e.slug for e in studies.entries().values() if e.path.resolve() == where))


def _tell(kind: str, sentence: str, report: Report | None = None) -> None:
    shown = report if report is not None and report.problems else None
    state.set_plain(keys.OUTCOME, (kind, sentence, shown))


def _guarded(action: Callable[[], None]) -> None:
    """Run a callback; what the user can mend becomes a message, and nothing loaded is lost."""
    try:
        action()
    except InputError as error:
        _tell("bad", md_escape(str(error)), error.report)
    except (CuiscopeError, OSError) as error:
        _tell("bad", md_escape(str(error)))


def open_sample() -> None:
    """Callback: the sample study."""
    _guarded(lambda: _switch(studies.SAMPLE_FOLDER))
    _tell("good", "The sample study is open.")


def open_folder() -> None:
    """Callback: the folder whose path was typed."""

    def action() -> None:
        typed = str(state.get(keys.FOLDER) or "").strip()
        if not typed:
            _tell("bad", "Type the path of a study folder first.")
            return
        path = Path(typed).expanduser()
        study = studies.opened(path)
        _switch(path)
        _tell("good", f"Opened **{md_escape(study.name)}** with {things(len(study.image_ids), 'image')}.")

    _guarded(action)


def add_zip() -> None:
    """Callback: the zip that was chosen."""

    def action() -> None:
        given: UploadedFile | None = state.get(state.emptied(keys.ZIP))
        if given is None:
            _tell("bad", "Choose a zip file first.")
            return
        path, report = workspace.add_study_zip(workspace.safe_name(Path(given.name).stem), given.getvalue())
        if path is None:
            _tell("bad", f"{md_escape(given.name)} was not added; nothing else was changed.", report)
            return
        state.empty(keys.ZIP)
        _switch(path)
        _tell(
            "mixed" if report.problems else "good", f"Added {md_escape(path.name)} to the workspace.", report
        )

    _guarded(action)


def add_part() -> None:
    """Callback: the file that was chosen, as a part of a new or an uploaded study."""

    def action() -> None:
        given: UploadedFile | None = state.get(state.emptied(keys.PART))
        if given is None:
            _tell("bad", "Choose a file first.")
            return
        target = str(state.get(keys.TARGET, A_NEW_STUDY))
        name = str(state.get(keys.NEW_NAME) or FIRST_NAME) if target == A_NEW_STUDY else target
        kind = str(state.get(keys.KIND, "concepts"))
        folder = workspace.study_folder(workspace.safe_name(name))
        system = str(state.get(keys.SYSTEM_NAME) or FIRST_SYSTEM) if kind in OF_A_SYSTEM else None
        report = workspace.add_part(folder, kind, given.name, given.getvalue(), system=system)
        _told(folder, given.name, report, kind, system)

    _guarded(action)


def _told(folder: Path, filename: str, report: Report, kind: str, system: str | None) -> None:
    """Say what became of an upload, and open the study it belongs to when it can be opened."""
    file = md_escape(filename)
    if any(rule == _NOT_KEPT for _, _, rule in report.counts):
        errors = things(report.total("error"), "error")
        _tell("bad", f"{file} was not kept ({errors}); what was loaded before is unchanged.", report)
        return
    state.empty(keys.PART)
    try:
        study = studies.opened(folder)
    except InputError:
        _tell("mixed", f"{file} is kept. The study opens once its findings are there.", report)
        return
    _switch(folder)
    state.set_plain(keys.TARGET, folder.name)
    report = _of_part(study, kind, system) or report
    n_errors = report.total("error")
    left_out = f"; {things(n_errors, 'error')} kept some of it out" if n_errors else ""
    kind_of_news = "mixed" if report.problems else "good"
    _tell(kind_of_news, f"{file} is part of **{md_escape(folder.name)}** now{left_out}.", report)


def _of_part(study: Study, kind: str, system: str | None) -> Report | None:
    """What the study found in the files of a part: more than the file alone tells (ids it does not know)."""
    name = workspace.safe_name(system) if system is not None else None
    files = [p.file for p in study.parts if p.kind == kind and name in (None, Path(p.file).parent.name)]
    return sum((study.report.of_file(file) for file in files), Report()) if files else None
