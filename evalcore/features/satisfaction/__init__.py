"""User satisfaction and relevance: data, cleansing, and how well each measure agrees."""

from evalcore.extensions import Feature

FEATURE = Feature(
    name="satisfaction",
    title="Satisfaction",
    commands="evalcore.features.satisfaction.commands:COMMANDS",
    adds={"people part": "evalcore.features.satisfaction.page.satisfaction:show"},
)
