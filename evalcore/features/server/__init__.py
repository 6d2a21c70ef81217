"""One dashboard for several people: who is signed in, what is theirs, what the administrator does."""

from evalcore.extensions import Feature

FEATURE = Feature(
    name="server",
    title="A server for several people",
    adds={
        "readable studies": "evalcore.features.server.shares:readable_studies",
        "share a study": "evalcore.features.server.page:share_section",
    },
)
