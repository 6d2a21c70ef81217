"""People: do the measures agree with readers and with satisfied users?"""

from evalcore.ui.components import select
from evalcore.ui.frame import page
from evalcore.ui.people import judgments, keys, satisfaction

context = page.start("people")
select.parts({"Readers": judgments.show, "Satisfaction": satisfaction.show}, context, keep=keys.PART)
