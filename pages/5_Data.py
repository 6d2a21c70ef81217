"""Data: what is loaded, and are there problems? And the ways to bring something else in."""

from evalcore import extensions
from evalcore.ui.components import messages, select
from evalcore.ui.data import sections, systems, upload
from evalcore.ui.frame import page, pages

context = page.start_without("data")
pages.go_to_results()
messages.show(pages.OUTCOME)
if context is None:
    upload.section()
else:
    sections.headline(context.study)
    parts = {
        pages.READ: sections.read,
        pages.COVERAGE: sections.covered,
        pages.SYSTEMS: systems.section,
        pages.FIND_CONCEPTS: extensions.addition("data part"),
        pages.BRING: upload.section,
    }
    offered = {name: show for name, show in parts.items() if show is not None}
    select.parts(offered, context, shown=pages.TABS.__getitem__)
