"""The parts of the Data page, and what its forms hold, which is never in the address."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

DUPLICATES = Key("duplicates", of_study=True)
READ, COVERAGE, BRING = "What was read", "Coverage", "Open or upload"
"""The tabs, as links call them."""
OUTCOME = "outcome"
FOLDER = "folder_path"
ZIP = "zip_file"
TARGET = "target"
SCHEDULER = "scheduler"
NEW_NAME = "new_name"
KIND = "kind"
SYSTEM_NAME = "system_name"
PART = "part_file"
