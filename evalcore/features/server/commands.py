"""``serve``: the dashboard for several people, each with a workspace of their own."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from evalcore.cli.dashboard import run_streamlit
from evalcore.cli.options import Whole, example
from evalcore.features.server.read import VARIABLE, read_settings
from evalcore.study.workspace.home import only_server
from evalcore.values.errors import InputError

LOCAL = ("localhost", "127.0.0.1")
_HOST = re.compile(r"(\*\.)?[A-Za-z0-9._-]+|\[[0-9A-Fa-f:]+\]")
_BASE = re.compile(r"/?[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*/?")
MIB = 1 << 20


@example("serve --config server.toml --host lab.example.org", own_files=True)
@click.command("serve")
@click.option(
    "--config",
    metavar="FILE",
    help="The server's settings: server.toml, with who may enter, who administers, what everybody reads, "
    "and limits.",
)
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
def serve(config: str | None, hosts: tuple[str, ...], base: str | None, address: str, port: int) -> None:
    """Serve the dashboard to people who sign in at a proxy.

    Each has a workspace of their own below CUISCOPE_HOME, which one server uses at a time. Pages, pictures,
    uploads and downloads are for those whose name the proxy passes on.
    """
    file = Path(config).resolve() if config else Path(os.devnull)
    rules = read_settings(file)
    for host in hosts:
        if not _HOST.fullmatch(host):
            rule = "takes a name such as lab.example.org, without http:// or port"
            raise InputError(f"--host {rule}: {host!r:.80}.")
    below = (base or "").strip("/")
    if base and not _BASE.fullmatch(base):
        raise InputError(f"--base takes a path such as /cuiscope: {base!r:.80}.")
    options = {
        "--server.address": [address],
        "--server.port": [str(port)],
        "--server.allowedHosts": [*dict.fromkeys((*hosts, *LOCAL))],  # health is asked for locally
        "--server.baseUrlPath": [below],
        "--server.maxUploadSize": [str(-(-rules.limits.file_bytes // MIB))],
        "--server.enableXsrfProtection": ["true"],
        "--server.enableCORS": ["true"],
        "--server.enableStaticServing": ["false"],
        "--server.scriptHealthCheckEnabled": ["false"],
        "--browser.serverAddress": [hosts[0].removeprefix("*.") if hosts else "localhost"],
    }
    os.environ["FORWARDED_ALLOW_IPS"] = ""  # addresses are those of connections, not what a header says
    os.environ[VARIABLE] = str(file)
    with only_server():
        run_streamlit(
            [word for name, values in options.items() for value in values for word in (name, value)]
        )
