"""Judging results blind: tasks, readers and their answers."""

from evalcore.extensions import Command, CommandGroup, Feature

_COMMANDS = "evalcore.features.review.commands"

FEATURE = Feature(
    name="review",
    title="What readers say",
    commands={
        "review": CommandGroup(
            "Let readers judge results blind, and read their answers.\n\n"
            "A task is the file review/NAME.toml of the study; readers work on it on the page Readers.",
            {
                "make": Command("Write a task for readers into STUDY.", f"{_COMMANDS}:make"),
                "show": Command(
                    "List the tasks of STUDY; with NAME how far each reader is.", f"{_COMMANDS}:show"
                ),
                "export": Command(
                    "Close the task NAME: add its answers to STUDY as judgments.", f"{_COMMANDS}:export"
                ),
                "import": Command("Add the judgments of FILE to those of STUDY.", f"{_COMMANDS}:import_"),
            },
        )
    },
    adds={
        "before a study moves": "evalcore.features.review.files:keep_id",
        "judging": "evalcore.features.review.page:show",
        "judging blind": "evalcore.features.review.page_desk:blind",
        "readers part": "evalcore.features.review.page_readers:show",
    },
)
