"""Data: what is loaded, and is it sound? And the ways to bring something else in."""

from evalcore import extensions
from evalcore.ui.components import messages, select
from evalcore.ui.data import sections, systems, upload
from evalcore.ui.frame import page, page_keys, state

context = page.start_without("data")
messages.show(page_keys.OUTCOME)
if context is None:
    upload.section()
else:
    sections.headline(context.study)
    parts = {
        page_keys.READ: sections.read,
        page_keys.COVERAGE: sections.covered,
        page_keys.SYSTEMS: systems.section,
        page_keys.FIND_CONCEPTS: extensions.addition("data part"),
        page_keys.BRING: upload.section,
    }
    select.parts({name: show for name, show in parts.items() if show is not None}, context, keep=state.TAB)
