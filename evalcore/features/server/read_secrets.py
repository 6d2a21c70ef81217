"""``secrets.toml``: the identity provider of a server, as Streamlit reads it for ``st.login``.

[auth]
redirect_uri = "https://lab.example.org/oauth2callback"
cookie_secret = "..."               # 32 characters or more, known to this server alone
client_id = "cuiscope"
client_secret = "..."
server_metadata_url = "https://id.example.org/.well-known/openid-configuration"

With several providers each has a table such as ``[auth.hospital]`` with the last three.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from evalcore.values.errors import InputError
from evalcore.values.writing import listed

LEAST = 32
"""Characters of the secret that signs cookies."""
_OF_PROVIDER = ("client_id", "client_secret", "server_metadata_url")
_DEFAULT = "default"


def provider_names(auth: Mapping[str, Any]) -> list[str]:
    """The providers of the table [auth] by name; one that has no table of its own is "default"."""
    named = [name for name, value in auth.items() if isinstance(value, Mapping) and name != "client_kwargs"]
    return [_DEFAULT, *named] if "client_id" in auth or not named else named


def check_secrets(path: Path, base: str) -> str:
    """The name of the server to which people come back after signing in.

    ``base``: the path below which the pages are, such as "/cuiscope".

    Raises
    ------
    InputError
        The file cannot sign people in, with everything that is wrong.
    """
    try:
        read = tomllib.loads(path.read_bytes().decode())
    except OSError as reason:
        raise InputError(f"{path} cannot be read: {reason.strerror or reason}.") from reason
    except ValueError as reason:
        raise InputError(f"{path} is no TOML file: {reason}.") from reason
    auth = read.get("auth")
    wrong = _wrong(auth, base) if isinstance(auth, Mapping) else ["The table [auth] is missing."]
    if wrong:
        raise InputError(f"--auth oidc cannot start with {path}. {' '.join(wrong)}")
    return urlsplit(read["auth"]["redirect_uri"]).hostname or ""


def _wrong(auth: Mapping[str, Any], base: str) -> list[str]:
    problems = []
    back = urlsplit(str(auth.get("redirect_uri", "")))
    secure = back.scheme == "https" or back.hostname in ("localhost", "127.0.0.1")
    if not (secure and back.netloc and back.path == f"{base}/oauth2callback"):
        problems.append(
            "`redirect_uri` must be the address of this server, with https:// and ending with "
            f"{base}/oauth2callback."
        )
    if len(str(auth.get("cookie_secret", ""))) < LEAST:
        problems.append(f"`cookie_secret` must have {LEAST} characters or more.")
    for name in provider_names(auth):
        table = auth.get(name, auth if name == _DEFAULT else {})
        where = "[auth]" if name == _DEFAULT else f"[auth.{name}]"
        if missing := [f"`{key}`" for key in _OF_PROVIDER if not str(table.get(key, "")).strip()]:
            problems.append(f"{where} lacks {listed(missing)}.")
        if "_" in name:
            problems.append(f"{where}: the name of a provider has no underscore.")
    return problems
