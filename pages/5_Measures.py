"""Measures: which measure should I trust? Whether the winner depends on it, whether measures agree."""

import streamlit as st

from evalcore.ui.components import select
from evalcore.ui.frame import page
from evalcore.ui.measures import agree, judgments, ratings, search, systems, work

PARTS = {
    work.RANKING: systems.ranking,
    work.AGREE: agree.section,
    work.POWER: systems.power,
    work.SEARCH: search.section,
    work.RATED: ratings.section,
    work.ABOUT: search.about_section,
}
context = page.start("measures")
plain = context.choice.plain
if context.study.qrels:
    PARTS |= {work.JUDGMENTS: judgments.section}
# At Simple the answer comes first; the measures it is about are chosen below it.
answer = st.container() if plain else None
measures = work.measures(context)
with answer or st.container():
    select.parts(
        work.ordered(context, PARTS),
        context,
        measures,
        keep=work.PART,
        shown=lambda name: work.title(name, plain=plain),
    )
