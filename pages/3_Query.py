"""Query: what did each system return for one image, and why does it count?"""

from evalcore.ui.compare.keys import SYSTEM_A, SYSTEM_B
from evalcore.ui.frame import page
from evalcore.ui.query import image_map
from evalcore.ui.query import sections as query
from evalcore.ui.query.keys import ALSO

context = page.start("query", shows=(SYSTEM_A, SYSTEM_B, ALSO))
systems, queries = query.controls(context)
query.walk(context, systems, queries)
image_map.section(context, systems[0], systems[1])
