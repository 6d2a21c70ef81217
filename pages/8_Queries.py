"""Queries: which queries are hard, and where does one system differ from the others?"""

from evalcore.ui import queries
from evalcore.ui.frame import page

queries.show(page.start("queries"))
