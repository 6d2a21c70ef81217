"""Queries: which queries are hard, and where does one system differ from the others?"""

from evalcore.ui import queries
from evalcore.ui.frame import page
from evalcore.ui.queries import found

context = page.start("queries")
of = found(context)
queries.headline(context, of)
places = queries.controls(context, of)
queries.heat_map(context, of, places)
queries.listed_queries(context, of, places)
queries.section(context, of)
