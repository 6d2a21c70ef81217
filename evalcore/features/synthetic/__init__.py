"""Machine-generated images against real ones: Tversky similarity, diversity, memorisation."""

from evalcore.extensions import Command, CommandGroup, Feature, Page

_COMMANDS = "evalcore.features.synthetic.commands"

FEATURE = Feature(
    name="synthetic",
    title="Generated images",
    commands={
        "synthetic": CommandGroup(
            "Compare machine-generated images with real ones.",
            {
                "score": Command("How similar are generated images to real ones?", f"{_COMMANDS}:score"),
                "copies": Command("Does a generator repeat itself, or copy images?", f"{_COMMANDS}:copies"),
                "distances": Command("How far is each group from the real images?", f"{_COMMANDS}:distances"),
                "paper": Command("Write every table and figure of the paper.", f"{_COMMANDS}:paper"),
            },
        )
    },
    pages=(
        Page(
            key="synthetic",
            file="pages/7_Generated_images.py",
            title="Generated images",
            icon=":material/auto_awesome:",
            question="Do generated images look like real ones without copying them?",
            guide="how-to/score-generated-images",
            place=120,
            show="evalcore.features.synthetic.page:show",
            compares=False,
            related=False,
            about_files=True,
            ahead=False,
        ),
    ),
    adds={"folder about a study": "evalcore.features.synthetic.uploads:folder_of"},
)
