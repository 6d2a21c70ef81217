"""Captions to concepts: which terms a text holds, what is denied, and how good the concepts found are."""

from evalcore.extensions import Feature

FEATURE = Feature(
    name="annotate",
    title="Captions to concepts",
    commands="evalcore.features.annotate.commands:COMMANDS",
    adds={"data part": "evalcore.features.annotate.page.sections:section"},
)
