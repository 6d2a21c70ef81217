"""Task, edition and what is looked at, as links call them; and what the page remembers beside that."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

TASK = Key("task")
EDITION = Key("edition")
NLTK = Key("bleu")
COMPONENT = Key("bertscore")
SOURCE = Key("source")
AGAINST = Key("against")
RUN = Key("run")
IMAGES = Key("images")
KIND = Key("kind_of_file")
OF_RUN = Key("of_run")
MODELS = Key("models")
DEVICE = Key("device")

PROBLEMS, BEHIND, PER_IMAGE = "Problems", "Behind the score", "Images"
"""The tabs about one run, as links call them."""
NOT_DONE = "challenge_not_done"
MODELS_RUN = "models_run"
