"""What a settings file says as the sidebar's choices."""

from __future__ import annotations

import re
from typing import Any

import streamlit as st

from evalcore.study.folder.settings_toml import SettingsFile
from evalcore.ui.frame import choices, measures, state
from evalcore.ui.frame.state import Key
from evalcore.values.model import Study
from evalcore.values.settings import LISTS, OPTIONS, View

_METRIC = (state.MEASURE, state.METRIC, choices.K)


def show(file: SettingsFile, study: Study) -> list[str]:
    """Callback: let the address, and so the sidebar, say what a settings file says.

    Returns what the pages have no choice for, in words; values that mean nothing in the study are refused as
    those of a link are.
    """
    chosen, notes, usual = dict(file.chosen), [], View().as_dict()
    fields = {option: name for name, option in LISTS.items()}
    for key in (*choices.KEYS.values(), *_METRIC):
        st.query_params.pop(key, None)
    labels = chosen.pop("metric", [])
    for key, text in _of_metric(study, labels[0]) if labels else ():
        st.query_params[key] = text
    if len(labels) > 1:
        notes.append(f"The file names {len(labels)} measures; a page shows one at a time, here {labels[0]}.")
    for name, value in chosen.items():
        field = fields.get(name, name)
        shown = OPTIONS[field].shown
        if field not in choices.KEYS or (shown and value not in shown):
            if value != usual.get(name):
                notes.append(f"The pages do not offer {name} = {value}; the usual value is used.")
            continue
        st.query_params[choices.KEYS[field]] = _texts(study, name, value)
    unknown = [name for name in chosen.get("system", []) if study.called(name) not in _systems(study)]
    if unknown:
        notes.append(f"Not in this study: {', '.join(unknown)}.")
    return notes


def _systems(study: Study) -> tuple[str, ...]:
    return choices.systems_on_offer(study)


def _texts(study: Study, name: str, value: Any) -> list[str] | str:
    if name == "system":
        return [study.called(one) for one in value]
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
