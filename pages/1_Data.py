"""Data: what is loaded, and is it sound? And the ways to bring something else in."""

from evalcore import extensions
from evalcore.ui.components import messages, select
from evalcore.ui.data import sections, systems, upload
from evalcore.ui.frame import data_keys, page, state

context = page.start_without("data")
messages.show(data_keys.OUTCOME)
if context is None:
    upload.section()
else:
    sections.headline(context.study)
    parts = {
        data_keys.READ: sections.read,
        data_keys.COVERAGE: sections.covered,
        data_keys.SYSTEMS: systems.section,
        data_keys.FIND: extensions.addition("data part"),
        data_keys.BRING: upload.section,
    }
    select.parts({name: show for name, show in parts.items() if show is not None}, context, keep=state.TAB)
