"""Every kind of file that can be uploaded says what it looks like."""

from __future__ import annotations

import pytest

from evalcore.study.parts.registry import IN_UPLOADS, KINDS


@pytest.mark.parametrize("kind", IN_UPLOADS)
def test_what_is_expected_is_said(kind: str) -> None:
    assert KINDS[kind].expected.endswith(".")
