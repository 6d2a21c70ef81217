"""The running program: started on a port, killed and started again, and behind nginx as documented."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pytest

from tests.conftest import ROOT

WAIT_MS = 300_000
"""How long something may take to appear: long, so that a busy machine fails no test."""
FROM_SOURCE = (sys.executable, "-m", "streamlit", "run", "app.py")
_ports: list[int] = []
"""Of the programs started so far; the next takes one that is free: a browser keeps files by their address."""


def free_port(*known: int) -> int:
    """A port that is free: one of the known, or any."""
    for port in [*known, 0]:
        with socket.socket() as free, suppress(OSError):
            free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            free.bind(("127.0.0.1", port))
            return int(free.getsockname()[1])
    pytest.fail("no port is free")


def serve_command(folder: Path, settings: str, *options: str) -> list[str]:
    """``cuiscope serve`` with these settings, which are kept in the folder."""
    file = folder / "server.toml"
    file.write_text(settings)
    return [sys.executable, "-m", "evalcore", "serve", "--config", str(file), *options]


class Program:
    """The running dashboard on one port: stopped, or killed and started again.

    ``option``: which option of the command takes the port; ``base``: the path below which its pages are.
    """

    def __init__(
        self,
        home: Path,
        *,
        command: Sequence[str] = FROM_SOURCE,
        cwd: Path = ROOT,
        option: str = "--server.port",
        base: str = "",
        **environment: str,
    ) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self.port, self.log, self.cwd = free_port(*_ports), home / "server.log", cwd
        _ports.append(self.port)
        self.command = [*command, option, str(self.port)]
        self.environment = {**os.environ, "CUISCOPE_HOME": str(home), **environment}
        self.url = f"http://127.0.0.1:{self.port}{base}"
        self.start()

    def start(self) -> None:
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                self.command, cwd=self.cwd, stdout=out, stderr=out, env=self.environment
            )
        end = time.monotonic() + WAIT_MS / 1000
        while time.monotonic() < end and self.process.poll() is None:
            with suppress(URLError, OSError), urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=1):
                return
            time.sleep(0.05)
        pytest.fail(f"the server did not start:\n{self.log.read_text()[-2000:]}")

    def kill(self) -> None:
        """As a power cut does: nothing is closed or written any more."""
        self.process.kill()
        self.process.wait()


@contextmanager
def serve(home: Path, **how: Any) -> Iterator[str]:
    """Run the dashboard with its own workspace, as ``Program`` takes it; yields its address."""
    program = Program(home, **how)
    try:
        yield program.url
    finally:
        program.process.terminate()
        try:
            program.process.wait(timeout=20)
        except subprocess.TimeoutExpired:  # it is still compiling, once on a machine
            program.kill()


# Debian's nginx as an ordinary process, with the configuration that the documentation gives.

BASE = "/cuiscope"
PASSWORDS: Mapping[str, str] = {"ada@lab.example": "a", "eve@lab.example": "e", "max@elsewhere.example": "m"}
AROUND = """
daemon off;
master_process off;
pid {own}/pid;
error_log {own}/error.log;
events {{}}
http {{
  access_log {own}/access.log;
  client_body_temp_path {own}/body;
  proxy_temp_path {own}/proxy;
  fastcgi_temp_path {own}/fastcgi;
  uwsgi_temp_path {own}/uwsgi;
  scgi_temp_path {own}/scgi;
  include {own}/site.conf;
}}
"""
"""What Debian's own files say around a site, with everything in a folder of the test."""


@contextmanager
def nginx(own: Path, *, port: int, upstream: int) -> Iterator[None]:
    """Run nginx as ``docs/server/nginx.conf`` says, with TLS at ``port``, before a server at ``upstream``.

    It asks for one of the ``PASSWORDS``. ``own``: an empty folder for all its files.
    """
    program = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if program is None:
        pytest.skip("needs nginx (Debian: apt-get install nginx-light)")
    own.mkdir(parents=True)
    (own / "nginx.conf").write_text(AROUND.format(own=own))
    (own / "site.conf").write_text(_documented(own, port=port, upstream=upstream))
    command = [program, "-p", str(own), "-c", str(own / "nginx.conf"), "-e", str(own / "error.log")]
    checked = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    process = subprocess.Popen(command)
    try:
        end = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < end:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.02)
        assert process.poll() is None, (own / "error.log").read_text()
        yield
    finally:
        process.terminate()
        process.wait(10)


def _documented(own: Path, *, port: int, upstream: int) -> str:
    """The documented block with this machine's name, ports and files in it."""
    certificate, key, passwords = own / "certificate.pem", own / "key.pem", own / "passwords"
    kind = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1"
    files = ("-keyout", key, "-out", certificate, "-addext", "subjectAltName=IP:127.0.0.1")
    subprocess.run(["openssl", "req", "-x509", *kind.split(), *files], check=True, capture_output=True)
    passwords.write_text("".join(f"{user}:{{PLAIN}}{word}\n" for user, word in PASSWORDS.items()))
    lines = (ROOT / "docs" / "server" / "nginx.conf").read_text().splitlines(keepends=True)
    site = "".join(line for line in lines if "listen [::]:" not in line)  # not every machine has IPv6
    for old, new in {
        "listen 80;": f"listen 127.0.0.1:{free_port()};",
        "listen 443 ": f"listen 127.0.0.1:{port} ",
        "http://127.0.0.1:8501;": f"http://127.0.0.1:{upstream};",
        "/etc/ssl/lab.example.org.pem": str(certificate),
        "/etc/ssl/private/lab.example.org.key": str(key),
        "/etc/nginx/cuiscope.htpasswd": str(passwords),
        "/var/log/nginx/cuiscope.log": str(own / "visits.log"),
        "lab.example.org": "127.0.0.1",
    }.items():
        assert old in site, f"docs/server/nginx.conf has no {old!r}"
        site = site.replace(old, new)
    return site
