"""What is computed here: the terms of all captions, in a job of its own; and the settings it takes."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from evalcore.features.annotate.read import read_annotate_toml
from evalcore.features.annotate.run import TOOLS, annotate, captions_of
from evalcore.features.annotate.settings import AnnotateSettings
from evalcore.features.annotate.tools_read import environments
from evalcore.features.annotate.values import Annotation
from evalcore.study.names.all_names import names_of_study
from evalcore.study.workspace.workspace import readable
from evalcore.ui.frame import jobs, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import digest_of
from evalcore.values.errors import InputError
from evalcore.values.model import Study
from evalcore.values.problems import Report
from evalcore.values.progress import Progress

# What is chosen while concepts are looked for, and what the forms hold, which is never in the address.

TOOL = Key("tool", of_study=True)
SHOWN = Key("captions", of_study=True)
IMAGE = Key("caption", of_study=True)
RUN = "annotate_run"
"""Studies whose captions are to be read, by folder."""
SETTINGS = "annotate_settings"
"""Settings of this session, by folder, where they are not those of the file."""
NAMES, MEANS = "annotate_names", "annotate_means"
SURE = "annotate_replace"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The settings in use, what is wrong with their file, and whether they are those of the file."""

    settings: AnnotateSettings
    report: Report
    kept: bool


def chosen(context: Context) -> Chosen:
    """The settings of this session, else those of ``annotate.toml``, else the usual ones."""
    kept, report = read_annotate_toml(context.entry.path)
    own = _of_session().get(where(context.entry.path), kept)
    return Chosen(own, report, own == kept)


def choose(folder: Path, settings: AnnotateSettings) -> None:
    """Callback: use these settings in this session."""
    state.set_plain(SETTINGS, {**_of_session(), where(folder): settings})


def _of_session() -> dict[str, AnnotateSettings]:
    return dict(state.get(SETTINGS) or {})


def where(folder: Path) -> str:
    """A folder as the key of what belongs to it."""
    return os.path.realpath(folder)


def ready(tool: str, study: Study) -> str:
    """Why a tool cannot be asked, "" when it can."""
    if tool in environments.TOOLS:
        found = environments.environment(tool)
        return environments.remedy(found) if not found.ready else _weights(tool)
    if study.names or any(part.kind == "names" for part in study.parts):
        return ""
    return "This study has no names of concepts to look for."


def _weights(tool: str) -> str:
    from evalcore.features.annotate.outside import outside

    try:
        outside(tool)
    except InputError as missing:
        return str(missing)
    return ""


def begun(context: Context) -> bool:
    """Whether the captions of this study were asked for in this session, or by a link to one of them."""
    folder = context.entry.path
    if where(folder) not in (state.get(RUN) or ()) and IMAGE in st.query_params:
        begin(folder)
    return where(folder) in (state.get(RUN) or ())


def begin(folder: Path) -> None:
    """Read the captions."""
    state.set_plain(RUN, (*(state.get(RUN) or ()), where(folder)))


def found(context: Context, tool: str, settings: AnnotateSettings) -> Annotation | None:
    """The terms of all captions; None while they are looked for."""
    study = context.study
    key = f"annotate {digest_of([study.content, tool, settings.digest])}"
    label = f"Finding concepts with {TOOLS[tool].title}"
    return jobs.run(key, lambda progress: _found(study, tool, settings, progress), label=label)


def _found(study: Study, tool: str, settings: AnnotateSettings, progress: Progress) -> Annotation:
    names, finder = None, None
    if tool in environments.TOOLS:
        from evalcore.features.annotate.outside import outside

        finder = outside(tool, progress=progress)
    else:
        names = names_of_study(study)
    captions = captions_of(study)
    return annotate(captions, tool=tool, names=names, settings=settings, finder=finder, progress=progress)


def command(folder: Path, tool: str, *more: str) -> str:
    """What a shell is told to find the same."""
    words = ["python -m evalcore annotate", shlex.quote(readable(str(folder)))]
    return " ".join([*words, *([] if tool == "dictionary" else [f"--tool {tool}"]), *more])


def named(study: Study, concept: str) -> str:
    """A concept by its name, where it has one, and its id; plain text."""
    name = study.names.get(concept, "")
    return f"{name} ({concept})" if name else concept
