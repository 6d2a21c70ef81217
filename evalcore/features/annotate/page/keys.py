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
NAMES, MEANS = "annotate_names", "annotate_means"
SURE = "annotate_replace"
