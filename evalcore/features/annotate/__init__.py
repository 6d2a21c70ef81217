"""Captions to concepts: which terms a text holds, what is denied, and how good the concepts found are."""

from evalcore.extensions import Command, CommandGroup, Feature

FEATURE = Feature(
    name="annotate",
    title="Captions to concepts",
    commands={
        "annotate": CommandGroup(
            "Find the concepts that captions name, and rate them.",
            {
                "run": Command(
                    "Find the concepts that the captions of STUDY name.",
                    "evalcore.features.annotate.commands:annotate_run",
                ),
                "score": Command(
                    "How good are the concepts found in captions?",
                    "evalcore.features.annotate.commands:annotate_score",
                ),
            },
        )
    },
    adds={
        "data part": "evalcore.features.annotate.page.sections:section",
        "concepts in a text": "evalcore.features.annotate.live:concepts_in",
    },
)
