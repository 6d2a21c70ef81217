"""A small OpenID Connect provider on the loopback: whoever opens it chooses whom to be, without a password.

Discovery, authorization code with PKCE, RS256-signed id tokens, keys, user info and the end of a session.
"""

from __future__ import annotations

import base64
import hashlib
import html
import secrets
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

CLIENT, SECRET = "cuiscope", "a secret of the tests"
_SECONDS = 300

USERS: Mapping[str, Mapping[str, Any]] = {
    "ada": {"name": "Ada Lovelace", "email": "ada@lab.example", "email_verified": True},
    "eve": {"name": "Eve Adams", "email": "eve@lab.example", "email_verified": True},
    "una": {"name": "Una Verified", "email": "una@lab.example", "email_verified": False},
    "max": {"name": "Max Outside", "email": "max@elsewhere.example", "email_verified": True},
}
"""Ada, Eve, one whose address the provider has not verified, and one of another house."""


@dataclass
class Provider:
    """A provider that runs, with one client.

    ``redirects``: the addresses it sends people back to, all others are refused. ``claims``: what id tokens
    say instead of the truth, and ``signed_with``: another key than the one that is published; both for tests
    of what a client must not believe. ``log``: endpoint and user, as they were asked.
    """

    url: str
    redirects: set[str] = field(default_factory=set)
    claims: dict[str, Any] = field(default_factory=dict)
    signed_with: RSAKey | None = None
    log: list[tuple[str, str]] = field(default_factory=list)
    _key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "1", "use": "sig"}))
    _codes: dict[str, dict[str, str]] = field(default_factory=dict)
    _access: dict[str, str] = field(default_factory=dict)

    def secrets_toml(self, redirect: str) -> str:
        """The section ``[auth]`` of Streamlit's secrets for this provider."""
        self.redirects.add(redirect)
        return (
            "[auth]\n"
            f'redirect_uri = "{redirect}"\n'
            f'cookie_secret = "{secrets.token_hex(32)}"\n'
            f'client_id = "{CLIENT}"\n'
            f'client_secret = "{SECRET}"\n'
            f'server_metadata_url = "{self.url}/.well-known/openid-configuration"\n'
        )

    async def discovery(self, request: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "userinfo_endpoint": f"{self.url}/userinfo",
                "jwks_uri": f"{self.url}/keys",
                "end_session_endpoint": f"{self.url}/end",
                "response_types_supported": ["code"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "scopes_supported": ["openid", "email", "profile"],
                "code_challenge_methods_supported": ["S256"],
            }
        )

    async def keys(self, request: Request) -> Response:
        return JSONResponse({"keys": [self._key.as_dict(private=False)]})

    async def authorize(self, request: Request) -> Response:
        """A page with a link for each user; with ``user``, back to the client with a code for them."""
        asked = dict(request.query_params)
        if (wrong := self._wrong_request(asked)) is not None:
            return PlainTextResponse(wrong, 400)
        user = asked.pop("user", "")
        if user not in USERS:
            links = (
                f'<p><a href="?{html.escape(urlencode(asked | {"user": name}))}">{about["name"]}</a></p>'
                for name, about in USERS.items()
            )
            return HTMLResponse(
                "<!doctype html><title>Provider</title><h1>Who are you?</h1>" + "".join(links)
            )
        self.log.append(("authorize", user))
        code = secrets.token_urlsafe(16)
        self._codes[code] = asked | {"user": user}
        back = {"code": code} | ({"state": asked["state"]} if "state" in asked else {})
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode(back)}", 302)

    def _wrong_request(self, asked: Mapping[str, str]) -> str | None:
        if asked.get("client_id") != CLIENT or asked.get("redirect_uri") not in self.redirects:
            return "This client, or its address, is not registered."
        if asked.get("response_type") != "code" or "openid" not in asked.get("scope", "").split():
            return "Only codes for the scope openid are given."
        if asked.get("code_challenge_method") != "S256" or not asked.get("code_challenge"):
            return "A challenge (PKCE, S256) is required."
        return None

    async def token(self, request: Request) -> Response:
        form = {name: str(value) for name, value in (await request.form()).items()}
        asked = self._codes.pop(form.get("code", ""), None)  # a code is used once
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if _credentials(request, form) != (CLIENT, SECRET):
            return JSONResponse({"error": "invalid_client"}, 401)
        if (
            asked is None
            or form.get("grant_type") != "authorization_code"
            or form.get("redirect_uri") != asked["redirect_uri"]
            or challenge != asked["code_challenge"]
        ):
            return JSONResponse({"error": "invalid_grant"}, 400)
        self.log.append(("token", asked["user"]))
        now, access = int(time.time()), secrets.token_urlsafe(16)
        self._access[access] = asked["user"]
        claims = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + _SECONDS} | self._about(
            asked["user"]
        )
        if "nonce" in asked:
            claims["nonce"] = asked["nonce"]
        signed = jwt.encode({"alg": "RS256", "kid": "1"}, claims | self.claims, self.signed_with or self._key)
        return JSONResponse(
            {"access_token": access, "token_type": "Bearer", "expires_in": _SECONDS, "id_token": signed}
        )

    def _about(self, user: str) -> dict[str, Any]:
        return {"sub": user, **USERS[user]}

    async def userinfo(self, request: Request) -> Response:
        user = self._access.get(request.headers.get("authorization", "").removeprefix("Bearer "))
        return (
            JSONResponse({"error": "invalid_token"}, 401) if user is None else JSONResponse(self._about(user))
        )

    async def end(self, request: Request) -> Response:
        back = request.query_params.get("post_logout_redirect_uri", "")
        self.log.append(("end", ""))
        if back not in self.redirects:
            return PlainTextResponse("You are signed out.")
        return RedirectResponse(back, 302)


def _credentials(request: Request, form: Mapping[str, str]) -> tuple[str, str]:
    """Of the client: by HTTP's basic authentication, or in the form."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.casefold() == "basic":
        name, _, secret = base64.b64decode(given).decode().partition(":")
        return unquote(name), unquote(secret)
    return form.get("client_id", ""), form.get("client_secret", "")


@contextmanager
def provider() -> Iterator[Provider]:
    """Run a provider in a thread of its own, until the end of the block."""
    door = socket.create_server(("127.0.0.1", 0))
    running = Provider(f"http://127.0.0.1:{door.getsockname()[1]}")
    app = Starlette(
        routes=[
            Route("/.well-known/openid-configuration", running.discovery),
            Route("/keys", running.keys),
            Route("/authorize", running.authorize),
            Route("/token", running.token, methods=["POST"]),
            Route("/userinfo", running.userinfo),
            Route("/end", running.end),
        ]
    )
    config = uvicorn.Config(app, log_level="warning", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, args=([door],), daemon=True)
    thread.start()
    end = time.monotonic() + 30
    while not server.started and time.monotonic() < end:
        time.sleep(0.01)
    assert server.started, "the provider did not start"
    yield running
    server.should_exit = True
    thread.join(10)
