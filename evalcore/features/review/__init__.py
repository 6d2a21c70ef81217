"""Judging results: tasks, who judges what, and what was said."""

from evalcore.extensions import Command, CommandGroup, Feature

FEATURE = Feature(
    name="review",
    title="What readers say",
    commands={
        "review": CommandGroup(
            "Let readers judge results blind, and read their answers.\n\n"
            "A task is the file review/NAME.toml of the study; readers work on it on the page Readers.",
            {
                "make": Command(
                    "Write a task into STUDY, and print its questions.",
                    "evalcore.features.review.commands.tasks:make",
                ),
                "show": Command(
                    "Show the task NAME, and how far each reader is.",
                    "evalcore.features.review.commands.tasks:show",
                ),
                "tasks": Command(
                    "List the tasks of STUDY and how much is judged.",
                    "evalcore.features.review.commands.tasks:list_tasks",
                ),
                "export": Command(
                    "Export the answers to the task NAME of STUDY.",
                    "evalcore.features.review.commands.tasks:export",
                ),
                "import": Command(
                    "Add the judgments of FILE to those of STUDY.",
                    "evalcore.features.review.commands.tasks:take_in",
                ),
                "readers": Command(
                    "What readers say, and which measure agrees with them.",
                    "evalcore.features.review.commands.readers:readers",
                ),
            },
        )
    },
    adds={
        "judged study": "evalcore.features.review.readers:judged_study",
        "before a study moves": "evalcore.features.review.read.task_files:keep_id",
        "files of a study": "evalcore.features.review.read.together:files_for",
        "reader study": "evalcore.features.review.reader_study:readings_of_folder",
        "judging": "evalcore.features.review.page.sections:show",
        "judging blind": "evalcore.features.review.page.reading:blind",
        "readers part": "evalcore.features.review.page_people:show",
    },
)
