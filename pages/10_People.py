"""People: do the measures agree with readers and with satisfied users?"""

from evalcore.ui.components import select
from evalcore.ui.frame import page
from evalcore.ui.people import judgments, keys, satisfaction

PARTS = {"Readers": judgments.show, "Satisfaction": satisfaction.show}
context = page.start("people")
part, place = select.tab(list(PARTS), keep=keys.PART)
with place:
    PARTS[part](context)
