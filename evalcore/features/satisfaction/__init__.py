"""User satisfaction and relevance: data, cleansing, and how well each measure agrees."""

from evalcore.extensions import Command, Feature

FEATURE = Feature(
    name="satisfaction",
    title="Satisfaction",
    commands={
        "satisfaction": Command(
            "Which measure of a list agrees with satisfied users?",
            "evalcore.features.satisfaction.commands:satisfaction",
        )
    },
    adds={"readers part": "evalcore.features.satisfaction.page:show"},
)
