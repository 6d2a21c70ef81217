"""``open``: the dashboard, in the browser and on this computer only."""

from __future__ import annotations

import os
import runpy
import signal
import sys

import click

from evalcore.cli.options import Whole, example, option
from evalcore.study.folder.layout import existing_folder
from evalcore.values import plugins
from evalcore.values.account import why_not_open
from evalcore.values.bundled import FRONT
from evalcore.values.errors import InputError


@example("open sample --port 8502")
@click.command("open", context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[STUDY] [STREAMLIT OPTION]...")
@option(
    "--port",
    kind=Whole(1, 65_535),
    show_default="8501, or the next one that is free",
    help="Where the dashboard listens, on 127.0.0.1.",
)
def dashboard(words: tuple[str, ...], port: int | None) -> None:
    """Open the dashboard in the browser.

    Without STUDY it opens the sample study. Streamlit settings in the current folder are ignored; options of
    Streamlit, such as --server.address, apply.
    """
    study = words[0] if words and not words[0].startswith("-") else None
    if why := why_not_open(_address(words)):
        raise InputError(why)
    if study is not None:
        os.environ["CUISCOPE_STUDY"] = str(existing_folder(study))
    if plugins.files:
        os.environ[plugins.VARIABLE] = os.pathsep.join(plugins.files)
    at = [] if port is None else ["--server.port", str(port)]
    run_streamlit([*at, *words[study is not None :]])


def _address(words: tuple[str, ...]) -> str:
    """Where the dashboard would listen: the last that the words name, else the environment."""
    address = os.environ.get("STREAMLIT_SERVER_ADDRESS") or "127.0.0.1"
    for word, after in zip(words, (*words[1:], ""), strict=False):
        name, joined, value = word.partition("=")
        if name == "--server.address":
            address = value if joined else after
    return address


def run_streamlit(options: list[str]) -> None:
    """Start the web server of the dashboard in this process, and return when it ends."""
    sys.argv = ["streamlit", "run", str(FRONT / "app.py"), *options]
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a visitor who leaves ends no server
    runpy.run_module("streamlit", run_name="__main__")
