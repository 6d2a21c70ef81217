"""Images and captions become vectors, and those a system of the study: by trained encoders or without."""

from evalcore.extensions import Feature

FEATURE = Feature(
    name="encode",
    title="Images and captions to vectors",
    commands="evalcore.features.encode.commands:COMMANDS",
    adds={"data systems": "evalcore.features.encode.page:section"},
)
