"""People: do the measures agree with what readers and users say?"""

from evalcore import extensions
from evalcore.ui.components import select
from evalcore.ui.frame import page, state

context = page.start("people")
parts = {feature.title: show for feature, show in extensions.additions("people part")}
select.parts(parts, context, keep=state.TAB)
