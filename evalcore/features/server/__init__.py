"""One dashboard for several people: who is signed in, what is theirs, what the administrator does."""

from evalcore.extensions import Command, CommandGroup, Feature

_ADMIN = "evalcore.features.server.commands_admin"
FEATURE = Feature(
    name="server",
    title="A server for several people",
    commands={
        "serve": Command("Serve the dashboard to several people.", "evalcore.features.server.commands:serve"),
        "admin": CommandGroup(
            "Users of a server, what they keep, backups and checks.",
            {
                "users": Command("List the users of a server, and who may still enter.", f"{_ADMIN}:users"),
                "usage": Command("Show what each user keeps, by kind, and the limits.", f"{_ADMIN}:usage"),
                "backup": Command("Copy the home into the new folder TARGET.", f"{_ADMIN}:backup"),
                "restore": Command("Put the backup SOURCE into an empty home.", f"{_ADMIN}:restore"),
                "check": Command("List what is wrong in the home, and change nothing.", f"{_ADMIN}:check"),
            },
        ),
    },
    adds={
        "middleware": "evalcore.features.server.gate:middleware",
        "readable studies": "evalcore.features.server.shares:readable_studies",
        "share a study": "evalcore.features.server.page:share_section",
        "sidebar part": "evalcore.features.server.page_account:show",
    },
)
