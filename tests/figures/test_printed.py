"""What is said where figures cannot be drawn for print; the drawing itself: tests/browser/test_report.py."""

from __future__ import annotations

import pytest

from evalcore.figures import printed
from evalcore.figures.frame import AccessibleFigure, Reading, empty_figure
from evalcore.values.errors import InputError


def test_without_a_browser_the_way_out_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    assert printed.browser() is None
    assert "none was found. Install Chromium or Chrome" in printed.why_unavailable()
    with pytest.raises(InputError, match="BROWSER_PATH"):
        printed.printed([])


def test_a_browser_that_does_not_start_is_named(monkeypatch, tmp_path):
    fake = tmp_path / "chromium"
    fake.write_text("#!/bin/sh\necho no browser\n")
    fake.chmod(0o755)
    monkeypatch.setenv("BROWSER_PATH", str(fake))
    drawn = AccessibleFigure(empty_figure("nothing", theme=printed.PAPER), "", Reading("", ""))
    assert printed.browser() == str(fake) and not printed.why_unavailable()
    with pytest.raises(InputError, match="did not draw the figures"):
        printed.printed([printed.Wanted(drawn, "svg", "single")])
