"""Query: what did each system return for one image, and why does it count?"""

from evalcore.ui.frame import page
from evalcore.ui.frame.pages import ALSO, SYSTEM_A, SYSTEM_B
from evalcore.ui.query import ask
from evalcore.ui.query import sections as query

context = page.start("query", shows=(SYSTEM_A, SYSTEM_B, ALSO))
query.section(context)
ask.section(context)
