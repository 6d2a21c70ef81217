"""``serve``: the dashboard for several people, each with a workspace of their own."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from evalcore.cli.dashboard import run_streamlit
from evalcore.cli.options import Whole, example
from evalcore.features.server import gate
from evalcore.features.server.identity import OIDC, PROXY
from evalcore.features.server.read import read_settings
from evalcore.features.server.read_secrets import check_secrets
from evalcore.values.errors import InputError
from evalcore.values.extras import why_not

LOCAL = ("localhost", "127.0.0.1")
_HOST = re.compile(r"(\*\.)?[A-Za-z0-9._-]+|\[[0-9A-Fa-f:]+\]")
_BASE = re.compile(r"/?[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*/?")
MIB = 1 << 20


@example("serve --auth proxy --settings server.toml --host lab.example.org")
@click.command("serve")
@click.option(
    "--auth",
    type=click.Choice([OIDC, PROXY]),
    required=True,
    help="How people sign in: with an OpenID Connect provider, or at a proxy that passes their name on.",
)
@click.option(
    "--settings",
    metavar="FILE",
    help="Settings without an option of their own: server.toml, with who may enter, who administers, "
    "what everybody reads, and limits.",
)
@click.option("--secrets", metavar="FILE", help="secrets.toml with the provider, for --auth oidc.")
@click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Name of this server in the address that people open, such as lab.example.org. Repeatable.",
)
@click.option("--base", metavar="PATH", help="Path below which the pages are, such as /cuiscope.")
@click.option(
    "--address", default="127.0.0.1", show_default=True, help="Address of this machine to listen at."
)
@click.option(
    "--port", type=Whole(1, 65_535), default=8501, show_default=True, help="Where the dashboard listens."
)
def serve(
    auth: str,
    settings: str | None,
    secrets: str | None,
    hosts: tuple[str, ...],
    base: str | None,
    address: str,
    port: int,
) -> None:
    """Serve the dashboard to several people.

    Each has a workspace of their own. Pages, pictures, uploads and downloads are for those who are signed in.
    """
    rules = read_settings(Path(settings) if settings else None)
    for host in hosts:
        if not _HOST.fullmatch(host):
            rule = "takes a name such as lab.example.org, without http:// or port"
            raise InputError(f"--host {rule}: {host!r:.80}.")
    below = (base or "").strip("/")
    if base and not _BASE.fullmatch(base):
        raise InputError(f"--base takes a path such as /cuiscope: {base!r:.80}.")
    if auth == OIDC:
        if not secrets:
            raise InputError("--auth oidc needs --secrets FILE, a secrets.toml with the provider.")
        if missing := why_not("server", "Signing in with an OpenID Connect provider"):
            raise InputError(missing)
        back = check_secrets(Path(secrets), f"/{below}" if below else "")
        hosts = tuple(dict.fromkeys((*hosts, back)))
    given = {
        "--server.address": [address],
        "--server.port": [str(port)],
        "--server.allowedHosts": [
            *dict.fromkeys((*hosts, *LOCAL))
        ],  # health and metrics are asked for locally
        "--server.baseUrlPath": [below],
        "--server.maxUploadSize": [str(-(-rules.limits.file_bytes // MIB))],
        "--server.enableXsrfProtection": ["true"],
        "--server.enableCORS": ["true"],
        "--server.enableStaticServing": ["false"],
        "--server.scriptHealthCheckEnabled": ["false"],
        "--browser.serverAddress": [hosts[0].removeprefix("*.") if hosts else "localhost"],
        "--secrets.files": [str(Path(secrets).resolve())] if secrets else [],
    }
    os.environ["FORWARDED_ALLOW_IPS"] = ""  # addresses are those of connections, not what a header says
    os.environ[gate.AUTH] = auth
    os.environ[gate.SETTINGS] = str(Path(settings).resolve()) if settings else ""
    run_streamlit([word for name, values in given.items() for value in values for word in (name, value)])
