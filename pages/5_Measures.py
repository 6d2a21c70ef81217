"""Measures: which measure should I trust? Type of images, whether they agree, what they can separate."""

from evalcore.ui.components import select
from evalcore.ui.frame import page
from evalcore.ui.measures import agree, ratings, search, systems, work

PARTS = {
    work.AGREE: agree.section,
    work.RANKING: systems.ranking,
    work.POWER: systems.power,
    work.SEARCH: search.section,
    work.RATED: ratings.section,
    work.ABOUT: search.about_section,
}
context = page.start("measures")
measures = work.measures(context)
select.parts(
    PARTS, context, measures, keep=work.PART, shown=lambda name: work.title(name, plain=context.choice.plain)
)
