"""First systems for a study, made here out of its own images and captions, in the background."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.encode.baselines import BASELINES, baseline_encoder, baselines_for
from evalcore.encode.encoding import encodable
from evalcore.encode.made import make_system
from evalcore.errors import InputError
from evalcore.figures.numbers import listed, things
from evalcore.problems import Report
from evalcore.progress import Progress, part_of
from evalcore.sources.encodings.system_files import made_of
from evalcore.sources.workspace import workspace
from evalcore.ui.components.text import md_escape
from evalcore.ui.data import intake, keys
from evalcore.ui.frame import jobs, state

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from evalcore.encode.baselines import Baseline
    from evalcore.model import Study
    from evalcore.ui.frame.context import Context

TITLE = "Make first systems from the images and captions"


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for: the folder, which baselines by name, and the study as it was then."""

    folder: Path
    names: tuple[str, ...]
    digest: str

    @property
    def key(self) -> str:
        """Of the job."""
        return f"encode {self.folder} {self.digest} {self.names}"


@dataclass(frozen=True, slots=True)
class Made:
    """What became of one of them: the name of its system, what was left out, else why there is none."""

    name: str
    report: Report
    why: str = ""


def section(context: Context, may: bool) -> None:
    """What can be made, the button, and how far it is; ``may``: the study may be changed."""
    study = context.study
    offered = baselines_for(encodable(study))
    st.subheader(TITLE, anchor="first-systems")
    if not offered:
        st.info(
            "This study has neither pictures nor captions. Add one of them under “Open or upload”, and first "
            "systems can be made here.",
            icon=":material/image:",
        )
        return
    st.markdown(_lead(study, plain_words=context.choice.plain))
    _table(study, offered)
    missing = [one.name for one in offered if not _is_there(study, one)]
    chosen = st.multiselect(
        "Systems to make", [one.name for one in offered], missing, key=f"{keys.BASELINES}-{study.content}",
        format_func=lambda name: BASELINES[name].title, disabled=not may,
        help="Those that are there already are brought up to date: only new or changed images are read.",
    )  # fmt: skip
    asked: Asked | None = state.get(keys.ENCODING)
    at_work = asked is not None and asked.folder == context.entry.path and jobs.began(asked.key)
    st.button(
        "Make these systems", key="make-systems", icon=":material/auto_awesome:",
        type="primary" if may else "secondary",
        disabled=not may or not chosen or at_work, on_click=_ask,
        args=(Asked(context.entry.path, tuple(chosen), study.digest),),
    )  # fmt: skip
    if asked is not None and asked.folder == context.entry.path:
        _work(context, asked)


def _lead(study: Study, *, plain_words: bool) -> str:
    n_pictures = study.images.count if study.images else 0
    n_captions = sum(bool(text) for text in study.captions.texts) if study.captions else 0
    there = listed(
        [things(n, one) for n, one in ((n_pictures, "picture"), (n_captions, "caption")) if n]
    )  # fmt: skip
    if plain_words:
        return (
            f"From the {there} of this study, the program can make simple search systems by itself. They "
            "compare brightness, texture and shape, or the words of the captions, and understand nothing of "
            "what they see. A system worth using should find more than they do."
        )
    return (
        f"Baselines without trained weights from {there}: vectors per image, ranked by cosine. They are the "
        "floor a trained encoder has to beat. Annotations are not needed. Trained encoders: "
        "`python -m evalcore embed STUDY --model FOLDER`."
    )


def _table(study: Study, offered: Sequence[Baseline]) -> None:
    rows = pd.DataFrame(
        {
            "System": [one.title for one in offered],
            "Reads": ["pictures" if one.what == "images" else "captions" for one in offered],
            "Looks at": [one.looks_at[0].upper() + one.looks_at[1:] for one in offered],
            "In this study": ["✓ yes" if _is_there(study, one) else "" for one in offered],
        }
    )
    st.dataframe(
        rows, hide_index=True, key="baselines", alt=f"{things(len(rows), 'system')} that can be made here",
        column_config={"Looks at": st.column_config.TextColumn(width="large")},
    )  # fmt: skip


def _is_there(study: Study, one: Baseline) -> bool:
    """Whether the study has the system of a baseline as this program makes it."""
    keys_of = {look.key for look in study.looks.values()}
    if one.name not in keys_of or study.path is None:
        return False
    return (made_of(study.path, one.name) or {}).get("backend") == "baseline"


def _ask(asked: Asked) -> None:
    """Callback: begin, anew where it was stopped before."""
    jobs.forget(asked.key)
    state.set_plain(keys.ENCODING, asked)


def _work(context: Context, asked: Asked) -> None:
    """The job; when it is over, what came of it stands above the page and the study is read again."""
    made = jobs.run(asked.key, _job(context.study, asked), label="Making systems")
    if made is None:
        return
    state.drop(keys.ENCODING)
    jobs.forget(asked.key)
    names = [f"**{md_escape(one.name)}**" for one in made if not one.why]
    failed = [f"{md_escape(one.name)} could not be made: {md_escape(one.why)}" for one in made if one.why]
    report = sum((one.report for one in made), Report())
    done = f"Made {listed(names)}. They are systems of this study now." if names else "No system was made."
    kind = "bad" if not names else "mixed" if failed or report.problems else "good"
    intake.say(kind, " ".join([done, *failed]), report)
    state.show_again()
    st.rerun()


def _job(study: Study, asked: Asked) -> Callable[[Progress], list[Made]]:
    in_place = not workspace.is_uploaded(asked.folder)

    def one(name: str, show: Progress) -> Made:
        encoder = baseline_encoder(BASELINES[name])
        try:
            system, found = make_system(study, asked.folder, encoder, in_place=in_place, progress=show)
        except InputError as reason:
            return Made(name, reason.report or Report(), str(reason))
        return Made(system, found.report)

    def work(progress: Progress) -> list[Made]:
        n = len(asked.names)
        return [
            one(name, part_of(progress, place, n, name=BASELINES[name].title))
            for place, name in enumerate(asked.names)
        ]

    return work
