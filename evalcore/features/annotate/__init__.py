"""Captions to concepts: which terms a text holds, and what is denied."""

from evalcore.extensions import Command, Feature

FEATURE = Feature(
    name="annotate",
    title="Captions to concepts",
    commands={
        "annotate": Command(
            "Find the concepts that the captions of STUDY name.",
            "evalcore.features.annotate.commands:annotate_run",
        )
    },
    adds={
        "data part": "evalcore.features.annotate.page:section",
        "concepts in a text": "evalcore.features.annotate.captions:concepts_in",
    },
)
