"""ImageCLEF caption, 2017 to 2026: submissions checked and scored as the official scripts do.

``editions`` what each year's script reads, rejects and counts; ``checks`` a file to rows, and every
problem of it at once; ``concepts`` and ``captions`` the two tasks, from ground truth to scores;
``models`` what some caption metrics need; ``result`` what comes out; ``board`` many runs side by side.
"""

from evalcore.extensions import Feature, Page

FEATURE = Feature(
    name="imageclef",
    title="ImageCLEF caption",
    commands="evalcore.features.imageclef.commands:COMMANDS",
    pages=(
        Page(
            key="challenge",
            file="pages/7_Challenge.py",
            title="Challenge",
            icon=":material/trophy:",
            question="Would ImageCLEF accept these runs, and what would they score?",
            place=90,
            show="evalcore.features.imageclef.page.sections:show",
            compares=False,
            about_files=True,
            filtered=False,
        ),
    ),
)
