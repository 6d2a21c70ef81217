"""Data: what is loaded, and is it sound? And the ways to bring something else in."""

from evalcore.ui.components import tabs
from evalcore.ui.data import cluster, sections, upload
from evalcore.ui.frame import page, state

context = page.start_without("data")
upload.outcome()
if context is None:
    upload.section()
else:
    here = context
    sections.headline(here.study)
    tabs.show(
        {
            "What was read": lambda: sections.read(here),
            "Coverage": lambda: sections.covered(here),
            "Open or upload": lambda: (upload.section(), cluster.section()),
        },
        key=state.TAB,
    )
