"""Measures: which measure should I trust? Type of images, whether they agree, what they can separate."""

from evalcore.ui.components import select
from evalcore.ui.frame import page
from evalcore.ui.measures import about, agree, compared, keys, ratings, search, systems

PARTS = {
    keys.AGREE: agree.section,
    keys.RANKING: systems.ranking,
    keys.POWER: systems.power,
    keys.SEARCH: search.section,
    keys.RATED: ratings.section,
    keys.ABOUT: about.section,
}
context = page.start("measures")
measures = compared.measures(context)
part, place = select.tab(
    list(PARTS), keep=keys.PART, shown=lambda name: keys.title(name, plain=context.choice.plain)
)
with place:
    PARTS[part](context, measures)
