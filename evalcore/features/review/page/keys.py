"""What of the page Review stands in its address: the task, its seed, the reader's code. Never a system."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

TASK = Key("review", of_study=True)
SEED = Key("draw", of_study=True)
READ = Key("read", of_study=True)
"""Whether a reader judges: then nothing on the page names a system."""
READER = Key("reader")
PART = Key("answers", of_study=True)
"""The task whose answers are shown."""
