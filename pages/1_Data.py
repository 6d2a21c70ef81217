"""Data: what is loaded, and is it sound? And the ways to bring something else in."""

from evalcore.features.annotate.page import sections as annotate
from evalcore.ui.components import messages, select
from evalcore.ui.data import sections, systems, upload
from evalcore.ui.frame import data_keys as keys
from evalcore.ui.frame import page, state

context = page.start_without("data")
messages.show(keys.OUTCOME)
if context is None:
    upload.section()
else:
    sections.headline(context.study)
    parts = {
        keys.READ: sections.read,
        keys.COVERAGE: sections.covered,
        keys.SYSTEMS: systems.section,
        keys.FIND: annotate.section,
        keys.BRING: upload.section,
    }
    select.parts(parts, context, keep=state.TAB)
