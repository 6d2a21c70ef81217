"""Images and captions become vectors, and those a system of the study: by trained encoders or without."""

from evalcore.extensions import Command, Feature

FEATURE = Feature(
    name="encode",
    title="Images and captions to vectors",
    commands={
        "encode": Command(
            "Encode images or captions as a system's vectors.", "evalcore.features.encode.commands:encode"
        )
    },
    adds={
        "data systems": "evalcore.features.encode.page:section",
        "live answers": "evalcore.features.encode.live:answers",
    },
)
