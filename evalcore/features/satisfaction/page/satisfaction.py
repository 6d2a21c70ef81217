"""The page People, satisfaction: which measure agrees with satisfied users, does context-aware gain help?"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast, get_args

import streamlit as st

from evalcore.features.satisfaction.agreement import agreement
from evalcore.features.satisfaction.choices import STEPS, Resample
from evalcore.features.satisfaction.cleansing import cleanse, usual_depths
from evalcore.features.satisfaction.page import files as files
from evalcore.features.satisfaction.page import found as found_sections
from evalcore.features.satisfaction.page import keys as keys
from evalcore.features.satisfaction.page import variance as variance
from evalcore.features.satisfaction.page import words as words
from evalcore.ranking.context_aware import WINDOW
from evalcore.ranking.grid import Reading
from evalcore.stats.dependent import DependentTest
from evalcore.ui.components import messages, select
from evalcore.ui.frame import cache, state
from evalcore.values.errors import CuiscopeError
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from evalcore.features.satisfaction.agreement import Found
    from evalcore.features.satisfaction.choices import Step
    from evalcore.features.satisfaction.cleansing import Clean
    from evalcore.features.satisfaction.data import Satisfaction
    from evalcore.ui.frame.context import Context

OFFERED = (1, 3, 5, 10, 15, 20)
DRAWN = {"users": "Participants", "queries": "Queries"}
SHORT = {
    "invalid": "Leave out queries with more than 90% of images not judged",
    "short": "Leave out queries with fewer rows than counted",
    "few": "Leave out participants with fewer than three queries",
    "minmax": "Put each person’s satisfaction on a scale from 0 to 1",
}  # fmt: skip


def show(context: Context) -> None:
    """Draw it."""
    data = files.section(context)
    if data is None:
        return
    place = st.container()
    depths, reading, test, resample = _counted(context, data)
    clean, without = _clean(data, depths[-1])
    if clean is None:
        return
    key = (data.digest, without, depths, repr(reading))

    def work() -> Found:
        return agreement(clean, depths=depths, reading=reading, test=test, resample=resample)

    found = cache.share(
        ("satisfaction", *key, test, resample), work, spinner="Comparing the measures with satisfaction…"
    )
    with place:
        messages.lead(words.headline(data, found, plain=context.choice.plain))
    stem = "simulated-satisfaction" if data.origin == "simulated" else "satisfaction"
    found_sections.section(context, data, found, reading.window, stem)
    variance.section(context, data, clean, reading, depths[-1], resample, key, stem)


def _counted(
    context: Context, data: Satisfaction
) -> tuple[tuple[int, ...], Reading, DependentTest, Resample]:
    """Rows counted and, in the technical reading, how gain and differences are computed."""
    usual = usual_depths(data)
    offered = [str(depth) for depth in sorted({*OFFERED, *usual})]
    state.follow_default(keys.DEPTHS)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        depths = select.some(
            "Rows of the page counted", offered, keep=keys.DEPTHS, width=280,
            first=[str(depth) for depth in usual],
            help="Only the first rows of the page count. Several depths are compared side by side.",
        )  # fmt: skip
        window, test, resample = WINDOW, "williams", "users"
        if not context.choice.plain:
            window = select.whole("Window", 1, 100, keep=keys.WINDOW, first=WINDOW, width=110)
            test = select.one(
                "Test", get_args(DependentTest), keep=keys.TEST, first="williams", width=150,
                shown=str.capitalize,
            )  # fmt: skip
            resample = select.one("Bootstrap draws", DRAWN, keep=keys.RESAMPLE, width=170)
    rows = tuple(sorted(int(one) for one in depths))
    reading = Reading(window=window, per_image=True)
    return rows, reading, cast("DependentTest", test), cast("Resample", resample)


def _clean(data: Satisfaction, depth: int) -> tuple[Clean | None, tuple[Step, ...]]:
    """The ratings that count, None with a message where none is left; and the steps left out."""
    with st.expander("Which ratings count", icon=":material/filter_alt:"):
        without = tuple(
            step for step in STEPS if not select.switch(SHORT[step], keep=keys.STEP[step], first=True)
        )
        below = st.container()
    try:
        clean = cleanse(data, depth=depth, without=without)
    except CuiscopeError as error:
        st.error(md_escape(str(error)), icon=":material/error:")
        return None, without
    below.caption(
        f"{words.dropped(clean)} The steps are those of Shao et al. 2019. A person who marks everything "
        "alike has no scale from 0 to 1 and is left out with the last step."
    )
    return clean, without
