"""What the forms of the Data page hold; never in the address."""

from __future__ import annotations

OUTCOME = "outcome"
FOLDER = "folder_path"
ZIP = "zip_file"
TARGET = "target"
SCHEDULER = "scheduler"
NEW_NAME = "new_name"
KIND = "kind"
SYSTEM_NAME = "system_name"
PART = "part_file"
