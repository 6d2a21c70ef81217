"""A running server and people who talk to it without a browser: raw requests, raw messages of a page."""

from __future__ import annotations

import http.client
import re
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from websockets.sync.client import ClientConnection, connect

from tests.running import serve, serve_command

USER = "X-Forwarded-User"
PROXY, ELSEWHERE = "127.0.0.1", "127.0.0.2"
"""Addresses of this machine: the first is that of the proxy."""


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Server:
    port: int
    home: Path

    @property
    def origin(self) -> str:
        return f"http://localhost:{self.port}"

    def ask(
        self,
        path: str,
        user: str = "",
        *,
        method: str = "GET",
        headers: Sequence[tuple[str, str]] = (),
        body: bytes = b"",
        source: str = PROXY,
        host: str = "",
    ) -> Answer:
        """Send one request as it is written, from an address of this machine."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30, source_address=(source, 0))
        line.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        own = [("Host", host or f"localhost:{self.port}"), *([(USER, user)] if user else [])]
        for name, value in [*own, *headers, *([("Content-Length", str(len(body)))] if body else [])]:
            line.putheader(name, value)
        line.endheaders(body or None)
        with closing(line), line.getresponse() as answer:
            return Answer(answer.status, dict(answer.getheaders()), answer.read())

    def upload(self, session: str, user: str, *, method: str = "PUT", xsrf: bool = True) -> int:
        """Send a small file to a session; the status."""
        token = generate_xsrf_token_string()
        cookies = [("Cookie", f"_streamlit_xsrf={token}"), ("X-Xsrftoken", token)] if xsrf else []
        form = b'--x\r\nContent-Disposition: form-data; name="f"; filename="a.csv"\r\n\r\nID\r\n--x--\r\n'
        headers = [*cookies, ("Content-Type", "multipart/form-data; boundary=x")]
        path = f"/_stcore/upload_file/{session}/file1"
        return self.ask(path, user, method=method, headers=headers, body=form).status


@dataclass
class Page:
    """An open page: what was sent to it since its script last began."""

    socket: ClientConnection
    session: str = ""
    messages: list[ForwardMsg] = field(default_factory=list)
    known: dict[str, ForwardMsg] = field(default_factory=dict)
    """Long messages, which are sent once."""

    def run(
        self,
        page: str = "",
        widgets: list[WidgetState] | None = None,
        script: str = "",
        fragment: str = "",
        **query: str,
    ) -> str:
        """Have the script of a page run, with these parameters and widgets, to its end; all that was sent.

        ``script``: the hash of the script, which counts for more than the name. ``fragment``: the part of
        the page that is drawn anew, alone.
        """
        state = ClientState(query_string=urlencode(query), page_name=page, page_script_hash=script)
        state.fragment_id = fragment
        state.widget_states.widgets.extend(widgets or [])
        self.socket.send(BackMsg(rerun_script=state).SerializeToString())
        return self.until_drawn()

    def receive(self) -> ForwardMsg:
        message = ForwardMsg()
        message.ParseFromString(self.socket.recv(timeout=60))  # type: ignore[arg-type]
        return message

    def until_drawn(self) -> str:
        self.messages.clear()
        while True:
            message = self.receive()
            if message.WhichOneof("type") == "ref_hash":
                message = self.known[message.ref_hash]
            self.known[message.hash] = message
            self.messages.append(message)
            kind = message.WhichOneof("type")
            if kind == "new_session":
                self.messages[:] = [message]
                self.session = message.new_session.initialize.session_id
            if kind == "script_finished":
                return self.text

    @property
    def text(self) -> str:
        return "".join(map(str, self.messages))

    @property
    def media(self) -> list[str]:
        """Addresses of the files that the page shows."""
        return sorted(set(re.findall(r"/media/[\w.]+", self.text)))

    @property
    def downloads(self) -> list[str]:
        """Files that are made when they are selected."""
        return sorted(set(re.findall(r'deferred_file_id: "(\w+)"', self.text)))

    def download(self, file: str) -> str:
        """Ask for such a file; its address, or "" where there is none."""
        message = BackMsg()
        message.backend_operation_request.request_id = "1"
        message.backend_operation_request.session_id = self.session
        message.backend_operation_request.deferred_file.file_id = file
        self.socket.send(message.SerializeToString())
        while True:
            answer = self.receive()
            if answer.WhichOneof("type") == "backend_operation_response":
                return answer.backend_operation_response.deferred_file.url


@contextmanager
def opened(
    server: Server, user: str, *, session: str = "", origin: str | None = "", **headers: str
) -> Iterator[Page]:
    """The connection of a page; InvalidStatus where it is refused. ``session``: the one to take up again."""
    login = {USER: user} if user else {}
    own = server.origin if origin == "" else origin
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    with connect(
        f"ws://localhost:{server.port}/_stcore/stream",
        additional_headers={**login, **names},
        origin=own,  # type: ignore[arg-type]
        subprotocols=["streamlit", "x", session] if session else ["streamlit"],  # type: ignore[list-item]
        max_size=None,
        proxy=None,
        sock=socket.create_connection(("127.0.0.1", server.port)),
    ) as line:
        yield Page(line)


@contextmanager
def serving(home: Path, *options: str, settings: str) -> Iterator[Server]:
    """``cuiscope serve`` with these settings, and its home."""
    command = serve_command(home.parent, settings, *options)
    with serve(home, command=command, option="--port") as url:
        yield Server(int(url.rpartition(":")[2]), home)
