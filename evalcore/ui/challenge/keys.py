"""Task and edition, and what is looked at; the rest is never in the address."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

TASK = Key("task")
EDITION = Key("edition")
NLTK = Key("bleu")
COMPONENT = Key("bertscore")

SOURCE = "source"
TRUTH = "truth_file"
RUNS = "run_files"
MANUAL = "manual_file"
RUN = "challenge_run"
IMAGES = "challenge_images"
AGAINST = "against"
UPLOADS = "uploads"
UPLOAD_WRONG = "upload_wrong"
BESIDE = "beside"
BESIDE_RUN = "beside_run"
MODELS = "models"
DEVICE = "device"
MODELS_RUN = "models_run"
