"""Machine-generated images against real ones: Tversky similarity, diversity, memorisation."""

from evalcore.extensions import Feature, Page

FEATURE = Feature(
    name="synthetic",
    title="Synthetic images",
    commands="evalcore.features.synthetic.commands:COMMANDS",
    pages=(
        Page(
            key="synthetic",
            file="pages/11_Synthetic.py",
            title="Synthetic images",
            icon=":material/auto_awesome:",
            question="Do generated images have what real ones have, and do they copy them?",
            place=120,
            show="evalcore.features.synthetic.page.sections:show",
            compares=False,
            about_files=True,
        ),
    ),
)
