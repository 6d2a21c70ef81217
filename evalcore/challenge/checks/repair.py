"""Why there is no repaired file."""

from __future__ import annotations

from collections.abc import Mapping


def why_not_repaired(unrepaired: Mapping[str, int]) -> str:
    """Why there is no repaired file, in words.

    >>> why_not_repaired({"missing-id": 3})
    'There is no repaired file, because it would be refused too: missing-id (3). Correct these yourself.'
    """
    if not unrepaired:
        return "There is no repaired file: nothing can be repaired without a decision that is yours."
    listed = ", ".join(f"{rule} ({n:,})" for rule, n in unrepaired.items())
    return f"There is no repaired file, because it would be refused too: {listed}. Correct these yourself."
