"""Metrics of a server in the text of OpenMetrics, for a program on this machine that collects them."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from threading import Lock
from time import monotonic
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.logger import get_logger
from streamlit.runtime import Runtime

from evalcore.features.server.read import ServerSettings
from evalcore.features.server.read_log import Log
from evalcore.features.server.read_usage import kept_bytes, resident_bytes
from evalcore.ui.frame import jobs
from evalcore.values import meter
from evalcore.values.version import __version__

PATH = "/metrics"
TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
PASSED_ON = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via")
"""Headers of requests that a proxy passed on: those come from anywhere, whatever address they have here."""
LOOPBACK = ("127.0.0.1", "::1")
_LOCAL = re.compile(r"(localhost|127\.0\.0\.1|\[::1\])(:\d+)?")
_ERRORS = "errors"
_SESSIONS = "active_sessions"
RENEWED = 600.0
"""Seconds for which the sizes on the disk are remembered."""


def is_local(scope: Mapping[str, Any], settings: ServerSettings) -> bool:
    """Whether a request was made on this machine, and no proxy has passed it on."""
    client = scope.get("client")
    return client is not None and client[0] in LOOPBACK and not is_passed_on(scope, settings)


def is_passed_on(scope: Mapping[str, Any], settings: ServerSettings) -> bool:
    """Whether a proxy has passed a request on, as far as its headers say.

    A proxy on this machine has its address: what it passes on is also known by the name of the host.
    """
    headers = Headers(raw=scope["headers"])
    if any(name in headers for name in (*PASSED_ON, settings.header)):
        return True
    hosts, client = headers.getlist("host"), scope.get("client")
    is_ours = len(hosts) == 1 and _LOCAL.fullmatch(hosts[0]) is not None
    return client is not None and client[0] in LOOPBACK and not is_ours


class _Errors(logging.Handler):
    """Counts what is logged as an error."""

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002
        meter.add(_ERRORS)


class Metrics:
    """ASGI middleware in front of the gate: answers ``/metrics`` to the addresses of ``server.toml``."""

    def __init__(self, app: ASGIApp, log: Log, settings: ServerSettings, base: str) -> None:
        self.app, self.log, self.settings, self.path = app, log, settings, f"{base}{PATH}"
        self._kept: Mapping[str, int] = {}
        self._kept_at, self._lock = -RENEWED, Lock()
        handler = _Errors(logging.ERROR)
        # Streamlit's loggers pass nothing on to each other.
        for logger in (get_logger("streamlit.error_util"), logging.getLogger("uvicorn.error")):
            if not any(isinstance(known, _Errors) for known in logger.handlers):
                logger.addHandler(handler)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != self.path or scope["method"] != "GET":
            await self.app(scope, receive, send)
            return
        client = scope.get("client")
        may = client is not None and self.settings.may_measure(client[0])
        if not may or is_passed_on(scope, self.settings):
            await self.app(scope, receive, send)  # as if there were none
            return
        text = await run_in_threadpool(self.text)
        await PlainTextResponse(text, media_type=TYPE)(scope, receive, send)

    def text(self) -> str:
        """All metrics as they are now."""
        running, waiting = jobs.counts()
        limits = self.settings.limits
        families = [
            *family("build", "info", "The program that runs.", [({"version": __version__}, 1)]),
            *family("sessions", "gauge", "Open pages.", [({}, _sessions())]),
            *family("sessions_allowed", "gauge", "Pages that may be open.", [({}, limits.sessions)]),
            *family("users_active", "gauge", "Users with an open page.", [({}, len(self.log.active))]),
            *family(
                "jobs",
                "gauge",
                "Long computations.",
                [({"state": "running"}, running), ({"state": "waiting"}, waiting)],
            ),
            *family("kept_bytes", "gauge", "Bytes on the disk.", self._sizes(), unit="bytes"),
            *family(
                "kept_allowed_bytes",
                "gauge",
                "Bytes all users may keep.",
                [({}, limits.all_bytes)],
                unit="bytes",
            ),
            *family(
                "events",
                "counter",
                "Lines of the log, by event.",
                [({"event": event}, n) for event, n in sorted(self.log.counts.items())],
            ),
            *family(
                "log_unwritten", "counter", "Lines that could not be written.", [({}, self.log.unwritten)]
            ),
            *family(
                "errors", "counter", "Errors of pages and of the web server.", [({}, meter.total(_ERRORS))]
            ),
            *family(
                "scoring_seconds",
                "counter",
                "Seconds spent on scoring.",
                [({}, round(meter.total("scoring"), 3))],
                unit="seconds",
            ),
        ]
        memory = resident_bytes()
        if memory is not None:
            name = "process_resident_memory_bytes"
            families += family(
                name, "gauge", "Memory of the program.", [({}, memory)], unit="bytes", prefix=""
            )
        return "\n".join([*families, "# EOF\n"])

    def _sizes(self) -> list[tuple[dict[str, str], float]]:
        with self._lock:
            if monotonic() - self._kept_at >= RENEWED:
                self._kept, self._kept_at = kept_bytes(), monotonic()
            return [({"kind": kind}, size) for kind, size in sorted(self._kept.items())]


def _sessions() -> int:
    """Open pages, as Streamlit counts them."""
    if not Runtime.exists():
        return 0
    stats = Runtime.instance().stats_mgr.get_stats([_SESSIONS]).get(_SESSIONS, ())
    return sum(int(getattr(stat, "value", 0)) for stat in stats)


def family(
    name: str,
    kind: str,
    help: str,
    samples: Iterable[tuple[Mapping[str, str], float]],
    *,
    unit: str = "",
    prefix: str = "cuiscope_",
) -> list[str]:
    """The lines of one metric: ``samples`` by their labels.

    >>> family("jobs", "gauge", "Jobs.", [({"state": 'a"b'}, 2)])[-1]
    'cuiscope_jobs{state="a\\\\"b"} 2'
    """
    full = prefix + name
    ending = {"counter": "_total", "info": "_info"}.get(kind, "")
    lines = [f"# TYPE {full} {kind}", *([f"# UNIT {full} {unit}"] if unit else []), f"# HELP {full} {help}"]
    for labels, value in samples:
        inner = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        lines.append(f"{full}{ending}{'{' + inner + '}' if inner else ''} {_number(value)}")
    return lines


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
