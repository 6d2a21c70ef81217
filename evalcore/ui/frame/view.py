"""The sidebar's choices as a view, which files and commands know, and a view as the sidebar's choices."""

from __future__ import annotations

import re
from typing import Any, get_args

import streamlit as st

from evalcore.study.folder.settings_toml import SettingsFile
from evalcore.ui.frame import cache, choices, measures, state
from evalcore.ui.frame.context import ALL_QUERIES, Choice
from evalcore.ui.frame.state import Key
from evalcore.values.model import Study
from evalcore.values.settings import View

_QUERIES = {which: name for name, which in cache.WHICH.items()}
_FIELDS: dict[str, Key] = {field: key for key, _, field, _, _ in choices.POLICIES}
_KEYS: dict[str, Key] = {
    "system": choices.SYSTEMS,
    "baseline": choices.BASELINE,
    "where": choices.WHERE,
    "queries": choices.POOL,
    "same_group": choices.SAME_GROUP,
    "correction": choices.CORRECTION,
    "flips": choices.FLIPS_TOSSED,
    "smallest_difference": choices.SMALLEST,
    "alpha": choices.ALPHA,
    "threshold": choices.THRESHOLD,
    **_FIELDS,
}
"""What a settings file can say and the sidebar can show, by the names of the file."""
_METRIC = (state.MEASURE, state.METRIC, choices.K)
_OFFERED = {field: get_args(options) for _, _, field, options, _ in choices.POLICIES}


def view_of(choice: Choice) -> View:
    """What the sidebar says."""
    return View(
        metrics=(choice.metric,),
        systems=choice.systems,
        baseline=choice.baseline,
        queries=cache.WHICH[choice.queries],
        where=choice.where,
        same_group="keep" if choice.same_group == "keep" else "drop",
        correction=choice.correction,
        smallest_difference=choice.smallest,
        flips=choice.flips,
        settings=choice.settings,
    )


def show(file: SettingsFile, study: Study) -> list[str]:
    """Callback: let the address, and so the sidebar, say what a settings file says.

    Returns what the pages have no choice for, in words; values that mean nothing in the study are refused as
    those of a link are.
    """
    chosen, notes, usual = dict(file.chosen), [], View().as_dict()
    for key in (*_KEYS.values(), *_METRIC):
        st.query_params.pop(key, None)
    labels = chosen.pop("metric", [])
    for key, text in _of_metric(study, labels[0]) if labels else ():
        st.query_params[key] = text
    if len(labels) > 1:
        notes.append(f"The file names {len(labels)} measures; a page shows one at a time, here {labels[0]}.")
    for name, value in chosen.items():
        offered = name in _KEYS and (name not in _OFFERED or value in _OFFERED[name])
        if not offered:
            if value != usual.get(name):
                notes.append(f"The pages do not offer {name} = {value}; the usual value is used.")
            continue
        st.query_params[_KEYS[name]] = _texts(study, name, value)
    unknown = [name for name in chosen.get("system", []) if study.called(name) not in _systems(study)]
    if unknown:
        notes.append(f"Not in this study: {', '.join(unknown)}.")
    return notes


def _systems(study: Study) -> tuple[str, ...]:
    return choices.systems_on_offer(study)


def _texts(study: Study, name: str, value: Any) -> list[str] | str:
    if name == "system":
        return [study.called(one) for one in value]
    if name == "queries":
        return _QUERIES.get(value, ALL_QUERIES)
    if name == "baseline":
        return study.called(value)
    return [str(one) for one in value] if isinstance(value, list) else str(value)


def _of_metric(study: Study, label: str) -> list[tuple[Key, str]]:
    """A measure of the list, with its k, or one that was typed."""
    cut = re.fullmatch(r"(.*)@([0-9]{1,3})", label)
    family = cut[1] if cut else label
    listed = {choice.family: choice for choice in measures.choices(study)}
    if family in listed and listed[family].cut == bool(cut):
        return [(state.MEASURE, family), *([(choices.K, cut[2])] if cut else [])]
    return [(state.METRIC, label)]
