"""Debian's nginx as an ordinary process, with the configuration that the documentation gives."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.features.server.browserless import ROOT, free_port

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


def program() -> str:
    """The path of nginx; the test is skipped where it is not installed."""
    path = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if path is None:
        pytest.skip("needs nginx (Debian: apt-get install nginx-light)")
    return path


@contextmanager
def nginx(own: Path, *, port: int, upstream: int) -> Iterator[None]:
    """Run nginx as ``docs/server/nginx.conf`` says, with TLS at ``port``, before a server at ``upstream``.

    It asks for one of the ``PASSWORDS``. ``own``: an empty folder for all its files.
    """
    own.mkdir(parents=True)
    (own / "nginx.conf").write_text(AROUND.format(own=own))
    (own / "site.conf").write_text(_documented(own, port=port, upstream=upstream))
    command = [program(), "-p", str(own), "-c", str(own / "nginx.conf"), "-e", str(own / "error.log")]
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
    lines = (ROOT / "docs" / "server" / "nginx.conf").read_text().splitlines(keepends=True)
    changes = {
        "listen 80;": f"listen 127.0.0.1:{free_port()};",
        "listen 443 ": f"listen 127.0.0.1:{port} ",
        "http://127.0.0.1:8501;": f"http://127.0.0.1:{upstream};",
    }
    certificate, key = _certificate(own)
    passwords = own / "passwords"
    passwords.write_text("".join(f"{user}:{{PLAIN}}{word}\n" for user, word in PASSWORDS.items()))
    changes |= {
        "/etc/ssl/lab.example.org.pem": str(certificate),
        "/etc/ssl/private/lab.example.org.key": str(key),
        "/etc/nginx/cuiscope.htpasswd": str(passwords),
        "/var/log/nginx/cuiscope.log": str(own / "visits.log"),
        "lab.example.org": "127.0.0.1",
    }
    site = "".join(line for line in lines if "listen [::]:" not in line)  # not every machine has IPv6
    for old, new in changes.items():
        assert old in site, f"docs/server/nginx.conf has no {old!r}"
        site = site.replace(old, new)
    return site


def _certificate(own: Path) -> tuple[Path, Path]:
    """A certificate for this machine that it signed itself, and its key."""
    certificate, key = own / "certificate.pem", own / "key.pem"
    kind = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")
    names = ("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1")
    files = ("-keyout", str(key), "-out", str(certificate))
    subprocess.run(["openssl", "req", "-x509", *kind, *names, *files], check=True, capture_output=True)
    return certificate, key
