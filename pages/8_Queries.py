"""Queries: which queries are hard, and where does one system stand apart?"""

from evalcore.ui.frame import page
from evalcore.ui.queries import sections
from evalcore.ui.queries.sections import found

context = page.start("queries")
of = found(context)
sections.headline(context, of)
places = sections.controls(context, of)
sections.heat_map(context, of, places)
sections.listed_queries(context, of, places)
sections.section(context, of)
