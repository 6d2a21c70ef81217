"""The tour as views: their addresses open what their sentences are about."""

from __future__ import annotations

from evalcore.evaluate.tour import Stop
from evalcore.report.tour import views_of

STOPS = (
    Stop("good", "img 1", values=(("b", 0.91), ("a", 0.9)), n=12),
    Stop("link", "img 2", "img 3", values=(("b", 0.25),), n=120, relevance=0.25),
    Stop("apart", "img 4", values=(("b", 1.0), ("a", 0.0)), n=12),
    Stop("alpha", values=(("a", 0.5), ("b", 0.4)), alpha=1.0, n=14),
    Stop("verdict", values=(("b", 0.62), ("a", 0.5)), n=12),
)


def test_addresses_and_sentences_agree():
    good, link, apart, alpha, verdict = views_of(STOPS, base={"k": ("10",)}, measure="nnCUI@10")
    assert good.address == {"k": ("10",), "q": ("img 1",), "a": ("b",), "b": ("a",)}
    assert link.address == {"k": ("10",), "q": ("img 2",), "a": ("b",), "why": ("img 3",)}
    assert (alpha.page, alpha.address["alpha"], verdict.page) == ("home", ("1",), "home")
    assert all(text in good.note for text in ("nnCUI@10", "0.910 for b", "0.900 for a", "12 queries"))
    assert "0.250 of 1" in link.note and "120 results" in link.note
    assert "1.00 for b but 0 for a" in apart.note
    assert "α = 1" in alpha.note and alpha.note.index("0.500 for a") < alpha.note.index("0.400 for b")
    assert "nnCUI@10" in verdict.note
    assert [view.name[:2] for view in (good, link, apart, alpha, verdict)] == ["1.", "2.", "3.", "4.", "5."]
