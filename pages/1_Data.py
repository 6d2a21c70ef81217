"""Data: what is loaded, and is it sound? And the ways to bring something else in."""

from evalcore.ui.annotate import sections as annotate
from evalcore.ui.components import select
from evalcore.ui.data import duplicates, keys, relations, sections, systems, upload
from evalcore.ui.frame import page, state

context = page.start_without("data")
upload.outcome()
if context is None:
    upload.section()
else:
    sections.headline(context.study)
    part, place = select.tab([keys.READ, keys.COVERAGE, keys.SYSTEMS, keys.FIND, keys.BRING], keep=state.TAB)
    with place:
        if part == keys.READ:
            sections.read(context)
            relations.section(context)
        elif part == keys.COVERAGE:
            sections.covered(context)
            duplicates.section(context)
        elif part == keys.SYSTEMS:
            systems.section(context)
        elif part == keys.FIND:
            annotate.section(context)
        else:
            upload.section(context)
