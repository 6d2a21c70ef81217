"""What is computed here: the terms of all captions, in a job of its own; and the settings it takes."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from evalcore.features.annotate.read import read_annotate_toml
from evalcore.features.annotate.run import annotate, annotation_of, captions_of
from evalcore.features.annotate.values import AnnotateSettings, Annotation
from evalcore.study.concepts.tool_output import parse_tool_output
from evalcore.study.naming import names_of_study
from evalcore.study.workspace.file_names import place_in_words
from evalcore.ui.frame import jobs, state
from evalcore.ui.frame.context import Context
from evalcore.ui.frame.state import Key
from evalcore.values.arrays import digest_of
from evalcore.values.errors import Report
from evalcore.values.model import Study
from evalcore.values.progress import Progress

# What is chosen while concepts are looked for, and what the forms hold, which is never in the address.

TOOL = Key("tool", of_study=True)
DICTIONARY, OF_TOOL = "dictionary", "file"
WAYS = {DICTIONARY: "Names of concepts", OF_TOOL: "Results of MedCAT or QuickUMLS"}
"""The ways to find concepts, and what they are called."""
SHOWN = Key("captions", of_study=True)
IMAGE = Key("caption", of_study=True)
NAMES_FOUND = Key("names_found")
"""What is closed at first."""
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


def has_names(study: Study) -> bool:
    """Whether a study has names to look for."""
    return bool(study.names) or any(part.kind == "names" for part in study.parts)


def begun(context: Context) -> bool:
    """Whether the captions of this study were asked for in this session, or by a link to one of them."""
    # Not by `begin`: the address counts on this run, which is none of a callback.
    folder = where(context.entry.path)
    if folder not in (state.get(RUN) or ()) and IMAGE in st.query_params:
        st.session_state[RUN] = (*(state.get(RUN) or ()), folder)
    return folder in (state.get(RUN) or ())


def begin(folder: Path) -> None:
    """Callback: read the captions."""
    state.set_plain(RUN, (*(state.get(RUN) or ()), where(folder)))


def found(context: Context, settings: AnnotateSettings) -> Annotation | None:
    """The terms of all captions by the dictionary; None while they are looked for."""
    study = context.study

    def work(progress: Progress) -> Annotation:
        return annotate(captions_of(study), names_of_study(study), settings=settings, progress=progress)

    key = f"annotate {digest_of([study.content, settings.digest])}"
    return jobs.run(key, work, label="Finding concepts", shared=True)


def file_key(context: Context) -> str:
    """Of the upload of a tool's results, one for each study."""
    return f"annotate_file_{context.entry.slug}"


def read(context: Context, settings: AnnotateSettings) -> tuple[Annotation | None, Report]:
    """What the file of a tool that was uploaded says of the captions; None without one, or with errors."""
    given = state.given(file_key(context))
    if given is None:
        return None, Report()
    captions = captions_of(context.study)
    output, report = parse_tool_output(given.getvalue(), file=given.name, captions=captions)
    return None if report.total("error") else annotation_of(captions, output, settings), report


def command(folder: Path, tool: str, *more: str) -> str:
    """The command that finds the same."""
    words = ["cuiscope annotate", shlex.quote(place_in_words(folder))]
    return " ".join([*words, *([] if tool == DICTIONARY else ["--from FILE.json"]), *more])


def named(study: Study, concept: str) -> str:
    """A concept by its name, where it has one, and its id; plain text."""
    name = study.names.get(concept, "")
    return f"{name} ({concept})" if name else concept
