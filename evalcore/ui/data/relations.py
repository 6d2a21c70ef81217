"""Which relation types of the graph files are followed: what there is, and the choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from evalcore.figures.numbers import count, listed, things
from evalcore.study.relations import RelationUse, relations_of
from evalcore.study.workspace import workspace
from evalcore.ui.components import table
from evalcore.ui.data import intake, keys, permission
from evalcore.ui.frame import state
from evalcore.values.arrays import digest_of
from evalcore.values.markdown import md_escape, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.ui.frame.context import Context

UNNAMED = "(none named)"


def section(context: Context) -> None:
    """The relation types with their links, and a form that chooses those which count; nothing without any."""
    found = relations_of(context.study)
    if not found or not any(one.relation for one in found):
        return
    st.subheader("Relation types of the concept graph", anchor=False)
    st.caption(_summary(found))
    rows = pd.DataFrame(
        {
            "Relation": [plain(one.relation) or UNNAMED for one in found],
            "Links": [one.links for one in found],
            "Followed": ["✓ yes" if one.followed else "✗ no" for one in found],
            "File": [plain(one.file) for one in found],
        }
    )
    table.bare(
        rows, key="relation-types", columns=table.numbers("localized", "Links"),
        alt=f"{things(len(found), 'relation type')} of the graph files with their links",
    )  # fmt: skip
    _form(context, found, may=permission.ask(context.entry, key="relations"))


def _summary(found: Sequence[RelationUse]) -> str:
    used = [one for one in found if one.followed]
    names = [f"“{md_escape(one.relation, limit=40) or UNNAMED}” ({count(one.links)})" for one in used[:5]]
    said = f"The graph is made of these links: {listed(names)}." if names else "The graph has none of them."
    return (
        f"{said} Links of other types are not followed, so they relate no concepts. “isa” says that one "
        "concept is a kind of the other, “part_of” that it is a part of it."
    )


def _form(context: Context, found: Sequence[RelationUse], *, may: bool) -> None:
    names = list(dict.fromkeys(one.relation for one in found))
    now = [name for name in names if any(one.followed and one.relation == name for one in found)]
    form = digest_of([*names, "", *now, str(context.entry.path)])[:12]
    with st.form("relations", border=True):
        st.multiselect(
            "Relation types to follow", names, now, key=f"{keys.RELATIONS}-{form}", disabled=not may,
            format_func=lambda name: plain(name) or UNNAMED,
            placeholder="As the files have them: “isa” of ontologies, all links of tables",
            help="Written to study.toml as rela under [graph]. The graph, and every number that uses it, is "
            "made anew.",
        )  # fmt: skip
        st.form_submit_button(
            "Follow these", icon=":material/account_tree:", key="save-relations", disabled=not may,
            on_click=_save, args=(context, form),
        )  # fmt: skip


@intake.guarded
def _save(context: Context, form: str) -> None:
    """Callback: the chosen relation types are those of the graph from now on."""
    chosen = list(state.get(f"{keys.RELATIONS}-{form}") or ())
    folder = context.entry.path
    report = workspace.follow(folder, chosen, in_place=permission.given(folder))
    names = ", ".join(md_escape(name, limit=40) or UNNAMED for name in chosen)
    intake.say("good", f"The graph follows {names or 'what its files have'} now.", report)
