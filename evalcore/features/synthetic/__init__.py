"""Machine-generated images against real ones: Tversky similarity, diversity, memorisation."""

from evalcore.extensions import Command, CommandGroup, Feature, Page

FEATURE = Feature(
    name="synthetic",
    title="Generated images",
    commands={
        "synthetic": CommandGroup(
            "Compare machine-generated images with real ones.",
            {
                "score": Command(
                    "How similar are generated images to real ones?",
                    "evalcore.features.synthetic.commands.wsi:score",
                ),
                "ablation": Command(
                    "What WSI gives when channels are removed from images.",
                    "evalcore.features.synthetic.commands.memorisation:ablation",
                ),
                "copies": Command(
                    "Does a generator repeat itself, or copy images?",
                    "evalcore.features.synthetic.commands.memorisation:copies",
                ),
                "distances": Command(
                    "How far is each group from the real images?",
                    "evalcore.features.synthetic.commands.distances:distances",
                ),
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
            show="evalcore.features.synthetic.page.sections:show",
            compares=False,
            related=False,
            about_files=True,
        ),
    ),
    adds={"folder about a study": "evalcore.features.synthetic.read.uploaded:folder_of"},
)
