"""Orders that only texts and a key decide, and fingerprints."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def drawn(texts: Iterable[str], *key: object) -> list[str]:
    """Different texts in an order that only they and the key decide, on every machine and in every version.

    >>> drawn("abcd", 1) == drawn("dcba", 1), sorted(drawn("abcd", 1))
    (True, ['a', 'b', 'c', 'd'])
    """
    return sorted(texts, key=lambda text: (fingerprint(*key, text), text))


def fingerprint(*parts: object) -> str:
    """Parts of any kind as one short text; each is given with its length, so that none runs into the next."""
    digest = blake2b(digest_size=16)
    for part in parts:
        text = str(part).encode("utf-8", "surrogatepass")
        digest.update(len(text).to_bytes(8, "big") + text)
    return digest.hexdigest()
