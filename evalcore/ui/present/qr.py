"""The address of the view as a QR code, for those who watch."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from evalcore.ui.frame import state

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

REACHED_AT = "reached_at"
"""The address under which others reach the program, as it was typed; not carried."""
HERE = ("localhost", "127.0.0.1", "::1")
LONGEST = 2_000
"""Characters of an address that still make a code which a telephone reads from a screen."""


def panel(
    *, key: str, also: Mapping[str, str], width: Literal["content", "stretch"] = "content"
) -> None:  # fmt: skip
    """A button that opens the code; ``also`` is added to the address (the study and its digest)."""
    with st.popover("QR code", icon=":material/qr_code_2:", width=width, key=f"qr-{key}"):
        base = st.text_input(
            "Address for others", value=_here(), key=f"{REACHED_AT}-{key}", max_chars=300,
            help="Where others reach this program. It listens on this computer only; whoever puts it behind "
            "a server of their own writes that address here.",
        )  # fmt: skip
        link = link_to(base, {**state.address(), **{name: (value,) for name, value in also.items()}})
        if link is None:
            st.caption("An address starts with http:// or https:// and has at most 300 characters.")
            return
        if len(link) > LONGEST:
            st.caption("The address of this view is too long for a code. Choose fewer systems or conditions.")
            return
        st.image(code(link), width=280)
        if (urlsplit(link).hostname or "") in HERE:
            st.caption("This address works on this computer only.")
        st.code(link, language=None, wrap_lines=True)


def _here() -> str:
    url = st.context.url or ""
    return url.partition("?")[0]


def link_to(base: str, address: Mapping[str, Sequence[str]]) -> str | None:
    """The whole address; None where the base is none.

    >>> link_to("https://cuiscope.example/Query", {"q": ["a b"], "where": ["x=1", "y=2"]})
    'https://cuiscope.example/Query?q=a+b&where=x%3D1&where=y%3D2'
    >>> link_to("javascript:alert(1)", {}) is None
    True
    """
    try:
        parts = urlsplit(base.strip())
        named = bool(parts.hostname)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not named or not base.isprintable():
        return None
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(address, doseq=True), ""))


def code(link: str) -> bytes:
    """The code as a PNG: black on white whatever the theme, with the margin that readers need (four modules).

    Error correction M: 15% of it may be covered.
    """
    import segno

    out = BytesIO()
    segno.make(link, error="m", micro=False).save(out, kind="png", scale=8, border=4)
    return out.getvalue()
