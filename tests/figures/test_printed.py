"""What is said where figures cannot be drawn for print; the drawing itself: tests/browser/test_report.py."""

from __future__ import annotations

import asyncio

import kaleido
import pytest

from evalcore.figures import printed
from evalcore.figures.frame import Drawn, Reading, empty_figure
from evalcore.values.errors import InputError


def test_without_a_browser_the_way_out_is_said(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    assert printed.browser() is None
    assert "none was found. Install Chromium or Chrome" in printed.why_not()
    with pytest.raises(InputError, match="BROWSER_PATH"):
        printed.printed([])


@pytest.mark.parametrize("content", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho no browser\n"])
def test_a_browser_that_does_not_start_is_named(monkeypatch, tmp_path, content):
    fake = tmp_path / "chromium"
    fake.write_text(content)
    fake.chmod(0o755)
    monkeypatch.setenv("BROWSER_PATH", str(fake))
    drawn = Drawn(empty_figure("nothing", theme=printed.PAPER), "", Reading("", ""))
    assert printed.browser() == str(fake) and not printed.why_not()
    with pytest.raises(InputError, match="did not draw the figures"):
        printed.printed([printed.Wanted(drawn, "svg", "single")])


def test_a_browser_that_does_not_answer_is_replaced_once(monkeypatch):
    """Two figures: the first browser draws one and then is silent; a second one draws the other."""
    started = []

    class Browser:
        def __init__(self, **_options: object) -> None:
            started.append(self)
            self.answers = 1 if len(started) == 1 else silent_from

        async def __aenter__(self):
            return self

        async def __aexit__(self, *_reason: object) -> None:
            pass

        async def calc_fig(self, _figure: object, *, opts: dict[str, object]) -> bytes:
            self.answers -= 1
            if self.answers < 0:
                await asyncio.sleep(60)
            return b"%PDF"

    monkeypatch.setattr(kaleido, "Kaleido", Browser)
    monkeypatch.setattr(printed, "browser", lambda: "/bin/true")
    monkeypatch.setattr(printed, "PATIENCE", 0.05)
    drawn = Drawn(empty_figure("nothing", theme=printed.PAPER), "", Reading("", ""))
    wanted = [printed.Wanted(drawn, "pdf", "single")] * 2
    silent_from = 1
    assert printed.printed(wanted) == [b"%PDF"] * 2 and len(started) == 2
    silent_from = 0
    started.clear()
    with pytest.raises(InputError, match="did not draw the figures"):
        printed.printed(wanted)
    assert len(started) == 2
