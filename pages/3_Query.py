"""Query: what did each system return for one image, and why does it count?"""

from evalcore.ui.frame import page
from evalcore.ui.query import sections as query

context = page.start("query")
pair, queries = query.controls(context)
query.walk(context, pair, queries)
