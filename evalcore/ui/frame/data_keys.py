"""The parts of the Data page, and what its forms hold, which is never in the address."""

from __future__ import annotations

from evalcore.ui.frame.state import Key

DUPLICATES = Key("duplicates", of_study=True)
MIRRORED = Key("mirrored")
CROPPED = Key("cropped")
READ, COVERAGE, SYSTEMS, BRING = "What was read", "Coverage", "Systems", "Open or upload"
FIND = "Find concepts"
"""The tabs, as links call them."""
OUTCOME = "outcome"
FOLDER = "folder_path"
ZIP = "zip_file"
CAPTIONED_NAME, CAPTIONS, PICTURES, TERMS = "captioned_name", "captions_file", "pictures_file", "terms_file"
TARGET = "target"
SCHEDULER = "scheduler"
NEW_NAME = "new_name"
KIND = "kind"
SYSTEM_NAME = "system_name"
PART = "part_file"
ASKED = "asked_to_replace"
CHANGED = "changed_system"
NAMED, PLACE, COLOUR, OWN_COLOUR, MARKER, NOTES = (
    "system_title",
    "system_place",
    "system_colour",
    "system_own_colour",
    "system_marker",
    "system_notes",
)
STUDY_NAME, ABOUT = "study_name", "study_description"
RELATIONS = "relations_followed"
BASELINES, ENCODING = "baselines_to_make", "systems_being_made"
WITH_JUDGMENTS = "with_judgments"
