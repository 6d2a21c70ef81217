"""What is chosen while concepts are looked for, and what the forms hold, which is never in the address."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

TOOL = Key("tool", of_study=True)
SHOWN = Key("captions", of_study=True)
IMAGE = Key("caption", of_study=True)
RUN = "annotate_run"
"""Studies whose captions are to be read, by folder."""
SETTINGS = "annotate_settings"
"""Settings of this session, by folder, where they are not those of the file."""
(
    LANGUAGES, AMBIGUOUS, NEGATED, UNCERTAIN, WINDOW, SECTIONS, WITHOUT, NAMES, MEANS,
) = (
    "annotate_languages", "annotate_ambiguous", "annotate_negated", "annotate_uncertain", "annotate_window",
    "annotate_sections", "annotate_without", "annotate_names", "annotate_means",
)  # fmt: skip
SURE = "annotate_replace"
