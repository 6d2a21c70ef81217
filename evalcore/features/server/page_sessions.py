"""What Streamlit knows of its sessions, for the gate: whose they are, and which files they show."""

from __future__ import annotations

import json
from typing import Any

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.source_util import page_icon_and_name

from evalcore.values.account import Account
from evalcore.values.bundled import FRONT

HEADER = "x-cuiscope-account"
"""The header in which the gate passes the user of a WebSocket to Streamlit; the gate alone sets it."""
_KEY = "cuiscope_account"
"""Its name in what Streamlit keeps of the user of a session."""


def encoded(account: Account) -> str:
    """An account as the value of the header."""
    return json.dumps({name: getattr(account, name) for name in ("id", "name", "administrator")})


def _decoded(text: str) -> Account:
    return Account(**json.loads(text))


def name_header() -> None:
    """Have Streamlit keep the header with its sessions, and compare it when one is resumed."""
    option, value = "server.trustedUserHeaders", {HEADER: _KEY}
    if config.get_option(option) != value:
        config.set_option(option, value)


def lookup() -> Account | None:
    """Whose page, callback or fragment this thread runs; None for a thread that belongs to no page."""
    context = get_script_run_ctx(suppress_warning=True)
    text = None if context is None else context.user_info.get(_KEY)
    return _decoded(text) if isinstance(text, str) else None


def owner(session_id: str) -> str:
    """The id of the account of a session whose page is open; "" for any other."""
    client = Runtime.instance().get_client(session_id)
    context = None if client is None else client.client_context
    headers = {} if context is None else dict(context.headers)
    return _decoded(headers[HEADER]).id if HEADER in headers else ""


def held_uploads(account: Account) -> tuple[int, int]:
    """Bytes of uploaded files that the pages of an account, and all pages, hold in memory."""
    manager = Runtime.instance().uploaded_file_mgr
    assert isinstance(manager, MemoryUploadedFileManager), "Streamlit is run with its own"
    held = {
        session: sum(len(file.data) for file in list(files.values()))
        for session, files in list(manager.file_storage.items())
    }
    return sum(size for session, size in held.items() if owner(session) == account.id), sum(held.values())


_shown: dict[str, set[str]] = {}
"""Ids of files that pages show, and of the accounts whose pages have shown them."""


def watch_files() -> None:
    """Note for which account a file is given to the media store, once per process.

    Streamlit forgets which session shows a file as soon as the page is drawn again, while browsers may
    still ask for it; of what a download makes when it is selected it notes nothing.
    """
    manager = Runtime.instance().media_file_mgr
    add, execute = manager.add, manager.execute_deferred
    if getattr(add, "noted", False):
        return

    def noted(*args: Any, **named: Any) -> str:
        url = add(*args, **named)
        account = lookup()
        _note(url, account.id if account else "")
        return url

    def executed(file_id: str) -> str:
        entry = manager._deferred_callables.get(file_id)
        whose = owner(entry["session_id"]) if entry else ""
        url = execute(file_id)
        _note(url, whose)
        return url

    def _note(url: str, whose: str) -> None:
        if len(_shown) > 2 * len(manager._file_metadata) + 1000:
            for gone in _shown.keys() - manager._file_metadata.keys():
                _shown.pop(gone, None)
        if whose:
            _shown.setdefault(_file_id(url), set()).add(whose)

    noted.noted = True  # type: ignore[attr-defined]
    manager.add, manager.execute_deferred = noted, executed  # type: ignore[method-assign]


_MESSAGES = ("rerun_script", "stop_script", "file_urls_request", "app_heartbeat", "backend_operation_request")
_OPERATIONS = ("deferred_file", "dataframe_chunk")


def is_welcome(data: bytes) -> bool:
    """Whether a browser may send this message: not those that clear caches which all share, or are for who
    develops a program. What is no message is left to Streamlit, which ends the connection."""
    message = BackMsg()
    try:
        message.ParseFromString(data)
    except DecodeError:
        return True
    name = message.WhichOneof("type")
    if name == "backend_operation_request":
        return message.backend_operation_request.WhichOneof("payload") in _OPERATIONS
    return name in _MESSAGES


def _file_id(url: str) -> str:
    return url.rpartition("/")[2].partition(".")[0]


def is_shown(file: str, account: Account) -> bool:
    """Whether a page of this account has shown the file of that name in ``/media``."""
    return account.id in _shown.get(_file_id(file), ())


def base_path() -> str:
    """The path below which the pages are: "" or one such as "/cuiscope"."""
    base = str(config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}" if base else ""


def page_names() -> frozenset[str]:
    """What the pages are called in addresses; the first is ""."""
    return frozenset({"", *(page_icon_and_name(path)[1] for path in (FRONT / "pages").glob("*.py"))})
