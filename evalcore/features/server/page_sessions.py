"""What Streamlit knows of its sessions, for the gate: whose they are, and which files they show."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from streamlit import auth_util, config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.source_util import page_icon_and_name
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME
from streamlit.web.server.starlette.starlette_websocket import _get_signed_cookie_with_chunks

from evalcore.features.server.read_secrets import provider_names
from evalcore.values.account import Account
from evalcore.values.bundled import FRONT

HEADER = "x-cuiscope-account"
"""How the gate tells Streamlit whose a WebSocket is. Taken from nobody else."""
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


def sign_in_of(cookies: Mapping[str, str]) -> str:
    """What tells the signing in of one browser from all others; "" where there is none."""
    parts = {name: value for name, value in cookies.items() if name.startswith(USER_COOKIE_NAME)}
    return json.dumps(parts, sort_keys=True) if USER_COOKIE_NAME in parts else ""


def claims(cookies: Mapping[str, str]) -> dict[str, Any]:
    """What the identity provider says of who has this cookie; empty where it was not signed by this server,
    has expired, or was signed for another address."""
    try:
        text = _get_signed_cookie_with_chunks(dict(cookies), USER_COOKIE_NAME)
        read = json.loads(text) if text else {}
    except (ValueError, UnicodeError):
        return {}
    origin = _origin(auth_util.get_validated_redirect_uri())
    is_ours = isinstance(read, dict) and read.get("is_logged_in") is True and read.get("origin") == origin
    return read if is_ours and origin else {}


def _origin(address: str | None) -> str:
    parts = urlsplit(address or "")
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme and parts.netloc else ""


def providers() -> list[str]:
    """The identity providers of the secrets file, by name."""
    return provider_names(auth_util.get_secrets_auth_section().to_dict())


def login_address(provider: str) -> str:
    """Where a browser goes to sign in with a provider: valid for a few minutes."""
    return f"{base_path()}/auth/login?provider={auth_util.encode_provider_token(provider)}"
