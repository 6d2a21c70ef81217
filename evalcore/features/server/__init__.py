"""One dashboard for several people: who is at work, and what is theirs."""

from evalcore.extensions import Command, Feature

FEATURE = Feature(
    name="server",
    title="A server for several people",
    commands={
        "serve": Command(
            "Serve the dashboard to several people, who sign in at a proxy.",
            "evalcore.features.server.commands:serve",
        )
    },
    adds={
        "middleware": "evalcore.features.server.gate:middleware",
        "readable studies": "evalcore.features.server.shared:readable_studies",
        "sidebar part": "evalcore.features.server.page_account:show",
    },
)
