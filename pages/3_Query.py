"""Query: what did each system return for one image, and why does it count?"""

from evalcore.ui import page, query, why

context = page.start("query")
pair, queries = query.controls(context)
chosen = query.current(context, queries)
if chosen is None:
    query.nothing_found()
else:
    query.arrows(context, queries, chosen)
    query.board(context, pair, chosen)
    why.drawer(context, chosen)
