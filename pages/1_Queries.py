"""Queries: which queries are hard, and what did each system return for one of them?"""

from evalcore.ui import queries
from evalcore.ui.frame import page
from evalcore.ui.frame.pages import ALSO, SYSTEM_A, SYSTEM_B
from evalcore.ui.query import ask
from evalcore.ui.query import sections as query

context = page.start("queries", shows=(SYSTEM_A, SYSTEM_B, ALSO))
if query.is_open(context):
    query.section(context)
else:
    queries.show(context)
ask.section(context)
