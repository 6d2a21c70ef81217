"""ImageCLEF caption, 2017 to 2026: submissions checked and scored as the official scripts do.

``editions`` what each year's script reads, refuses and counts; ``rules`` what can be wrong; ``submissions``
a file to what the script reads of it, with every problem at once; ``caption_metrics`` and ``models``
the metrics of captions; ``scoring`` truth, runs and other files to results, for page and commands.
"""

from evalcore.extensions import Command, CommandGroup, Feature, Page

_COMMANDS = "evalcore.features.imageclef.commands"

FEATURE = Feature(
    name="imageclef",
    title="ImageCLEF caption",
    commands={
        "imageclef": CommandGroup(
            "Check and score submissions to ImageCLEF caption.\n\n"
            "As the official scripts do; 2018 also serves 2019. Exit code 2 when the official script would "
            "refuse a run; its problems are listed, and its score, if any, is not official.",
            {
                "concepts": Command(
                    "Score concept detection as the official script does.", f"{_COMMANDS}:concepts"
                ),
                "captions": Command(
                    "Score caption prediction as the official script does.", f"{_COMMANDS}:captions"
                ),
            },
        )
    },
    pages=(
        Page(
            key="challenge",
            file="pages/6_Challenge.py",
            title="Challenge",
            icon=":material/trophy:",
            question="Would ImageCLEF accept these files, and how would they score?",
            guide="how-to/check-an-imageclef-run",
            place=90,
            show="evalcore.features.imageclef.page:show",
            compares=False,
            about_files=True,
            filtered=False,
        ),
    ),
)
