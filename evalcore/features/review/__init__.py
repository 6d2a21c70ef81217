"""Judging results: tasks, who judges what, and what was said."""

from evalcore.extensions import Feature, Page

FEATURE = Feature(
    name="review",
    title="Readers",
    commands="evalcore.features.review.commands:COMMANDS",
    pages=(
        Page(
            key="review",
            file="pages/9_Review.py",
            title="Review",
            icon=":material/rate_review:",
            question="What do readers say about these results, not knowing which system found them?",
            place=100,
            show="evalcore.features.review.page.sections:show",
            blind="evalcore.features.review.page.reading:blind",
            compares=False,
            about_files=True,
            filtered=False,
        ),
    ),
    adds={
        "judged study": "evalcore.features.review.readers:judged_study",
        "files of a study": "evalcore.features.review.read.together:files_for",
        "verdicts": "evalcore.features.review.page.votes:ReaderVerdicts",
        "people part": "evalcore.features.review.page_people:show",
    },
)
