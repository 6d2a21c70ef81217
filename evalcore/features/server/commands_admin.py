"""``admin``: who uses a server, how much each keeps, backups, and what is wrong."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalcore.cli.options import as_json, example
from evalcore.cli.output import complain, emit
from evalcore.features.server.read import ServerSettings, read_settings
from evalcore.results.rows import Column, Table, also, percent, plain, whole
from evalcore.values.writing import file_size, pluralize

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from evalcore.features.server.read_backup import Copied
    from evalcore.features.server.read_usage import User

SETTINGS = "CUISCOPE_SERVER"
WRONG = 1
"""Exit code of `check` where something is wrong."""
with_settings = click.option(
    "--settings",
    "settings_file",
    type=click.Path(path_type=Path),
    metavar="server.toml",
    help=f"Settings without an option of their own: server.toml; default: what {SETTINGS} names.",
)


def _settings(path: Path | None) -> ServerSettings:
    named = os.environ.get(SETTINGS, "").strip()
    return read_settings(path or (Path(named) if named else None))


def _time(at: datetime | None) -> str:
    return "never" if at is None else f"{at:%Y-%m-%d %H:%M} UTC"


@example("admin users")
@click.command("users")
@with_settings
@as_json
def users(settings_file: Path | None, json_wanted: bool) -> None:
    """List the users of a server, and who may still enter."""
    from evalcore.features.server.read_usage import users as all_users

    def role(user: User) -> str:
        if not user.may_enter:
            return "may not enter"
        return "administrator" if user.administrator else "user"

    rows = all_users(_settings(settings_file))
    columns = (
        Column("user", "id", "user", _name),
        Column("name"),
        Column("role", role, "role"),
        Column("seen", lambda user: user.seen and user.seen.isoformat()),
        also("last seen", "seen", _time),
        Column("studies", head="studies", text=whole),
        Column("bytes", "total", "keeps", file_size),
        Column("folder", head="folder"),
    )
    emit({"users": Table(rows, columns)}, _with_sum(Table(rows, columns), rows), json=json_wanted)


@example("admin usage")
@click.command("usage")
@with_settings
@as_json
def usage(settings_file: Path | None, json_wanted: bool) -> None:
    """Show what each user keeps, by kind, and the limits.

    Bytes on the disk, in whole blocks, as they count for the limits; what all users share follows.
    """
    from evalcore.features.server.read_usage import KINDS, shared_bytes
    from evalcore.features.server.read_usage import users as all_users

    settings = _settings(settings_file)
    rows, shared, limits = all_users(settings), shared_bytes(), settings.limits
    columns = (
        Column("user", "id", "user", _name),
        *(Column(kind, partial(_of_kind, kind), kind, file_size) for kind in KINDS),
        Column("bytes", "total", "in all", file_size),
        Column("allowed", lambda _: limits.user_bytes),
        also("of the limit", lambda user: user.total / limits.user_bytes, percent),
    )
    document = {
        "users": Table(rows, columns),
        "shared": shared,
        "bytes": sum(user.total for user in rows),
        "allowed": limits.all_bytes,
    }
    of_all = f"All users may keep {file_size(limits.all_bytes)}, each {file_size(limits.user_bytes)}."
    beside = (
        "Shared: " + (", ".join(f"{name} {file_size(n)}" for name, n in shared.items()) or "nothing") + "."
    )
    emit(document, [*_with_sum(Table(rows, columns), rows), of_all, beside], json=json_wanted)


def _of_kind(kind: str, user: User) -> int:
    return user.bytes.get(kind, 0)


def _name(user: str | None) -> str:
    return plain(user or "(unknown)")


def _with_sum(table: Table, rows: Sequence[User]) -> list[str | Table]:
    sum_of_all = f"{pluralize(len(rows), 'user')}, {file_size(sum(row.total for row in rows))}."
    return [table, sum_of_all] if rows else ["No account has signed in."]


@example("admin backup copy")
@click.command("backup")
@click.argument("target", type=click.Path(path_type=Path))
@as_json
def backup(target: Path, json_wanted: bool) -> None:
    """Copy the home into the new folder TARGET.

    The server may run meanwhile. Databases are copied whole; caches, weights of models and environments are
    left out. backup.json in it has the size and SHA-256 of each file.
    """
    from evalcore.features.server.read_backup import backup as copy

    _say(copy(target), f"Copied to {plain(str(target))}", json_wanted=json_wanted)


@example("admin restore copy")
@click.command("restore")
@click.argument("source", type=click.Path(path_type=Path))
@click.option(
    "--as",
    "user",
    default="",
    metavar="USER",
    help="Make the backup of one person the workspace of this user: their id, as they sign in.",
)
@as_json
def restore(source: Path, user: str, json_wanted: bool) -> None:
    """Put the backup SOURCE into an empty home.

    Stop the server first. Every file is compared with backup.json before any is put in place, and nothing is
    written over.
    """
    from evalcore.features.server.read_backup import restore as put_back

    _say(put_back(source, user=user.strip()), f"Restored {plain(str(source))}", json_wanted=json_wanted)


def _say(copied: Copied, done: str, *, json_wanted: bool) -> None:
    for name in copied.left:
        complain(f"Left out: {name} is a link or went meanwhile.")
    for remark in copied.remarks:
        complain(remark)
    text = f"{done}: {pluralize(copied.files, 'file')}, {file_size(copied.bytes)}."
    document = {name: getattr(copied, name) for name in ("files", "bytes", "left", "remarks")}
    emit(document, [text], json=json_wanted)


@example("admin check")
@click.command("check")
@with_settings
@as_json
def check(settings_file: Path | None, json_wanted: bool) -> int:
    """List what is wrong in the home, and change nothing.

    Permissions, missing marks, files of others, damaged databases, shares with people who may not enter,
    users over their limit, and what was left unfinished. Exit code 1 where anything is wrong.
    """
    from evalcore.features.server.read_check import check as findings

    rows = findings(_settings(settings_file))
    table = Table(
        rows,
        (
            Column("path", head="file or folder", text=plain),
            Column("problem", head="problem", text=plain),
            Column("remedy", head="what to do", text=plain),
        ),
    )
    shown: list[str | Table] = [table, f"{pluralize(len(rows), 'problem')}."] if rows else ["No problems."]
    emit({"problems": table}, shown, json=json_wanted)
    return WRONG if rows else 0
