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
select.parts(
    PARTS, context, measures, keep=keys.PART,
    shown=lambda name: keys.title(name, plain=context.choice.plain),
)  # fmt: skip
