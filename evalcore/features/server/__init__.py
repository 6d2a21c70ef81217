"""One dashboard for several people: who is signed in, what is theirs, what the administrator does."""

from evalcore.extensions import Command, Feature

FEATURE = Feature(
    name="server",
    title="A server for several people",
    commands={
        "serve": Command("Serve the dashboard to several people.", "evalcore.features.server.commands:serve")
    },
    adds={
        "guests": "evalcore.features.server.guests",
        "middleware": "evalcore.features.server.gate:middleware",
        "readable studies": "evalcore.features.server.shares:readable_studies",
        "share a study": "evalcore.features.server.page:share_section",
        "sidebar part": "evalcore.features.server.page_account:show",
    },
)
