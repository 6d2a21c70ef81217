"""A caption as Markdown with the terms found in it marked; whatever it holds shows as it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcore.features.annotate.values import AMBIGUOUS, NEGATED
from evalcore.values.markdown import md_escape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcore.features.annotate.values import Match

KEPT, DENIED, DOUBTED, UNCLEAR, OTHER = "green", "gray", "orange", "violet", "gray"
LEGEND = (
    f":{KEPT}-background[**counts**]  :{DOUBTED}-background[*in doubt*]  :{DENIED}-background[~~denied~~]  "
    f":{UNCLEAR}-background[means several concepts]  :{OTHER}-background[left out for another reason]"
)


def marked(caption: str, matches: Sequence[Match]) -> str:
    """The caption on one line; a term is coloured by what became of it: bold where it counts, struck through
    where it is denied, in italics where it is in doubt."""
    parts, at = [], 0
    for one in sorted(matches, key=lambda match: match.start):
        if one.start < at:
            continue
        parts.append(_plain(caption[at : one.start]))
        parts.append(_term(caption[one.start : one.end], one))
        at = one.end
    return "".join([*parts, _plain(caption[at:])]).strip()


def _plain(text: str) -> str:
    """Escaped, the white space at its ends kept as one space."""
    body = md_escape(text)
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and body else ""
    return f"{before}{body}{after}"


def _term(text: str, one: Match) -> str:
    body = md_escape(text)
    if not body:
        return ""
    if one.why == NEGATED or (one.negated is not None and one.kept):
        body = f"~~{body}~~"
    elif one.uncertain is not None:
        body = f"*{body}*"
    elif one.kept:
        body = f"**{body}**"
    return f":{_colour(one)}-background[{body}]"


def _colour(one: Match) -> str:
    if one.kept:
        return DOUBTED if one.uncertain is not None or one.negated is not None else KEPT
    return {NEGATED: DENIED, AMBIGUOUS: UNCLEAR}.get(one.why, OTHER)


def reason(one: Match, caption: str) -> str:
    """Why a term counts or is left out, in a sentence; plain text."""
    if one.why == AMBIGUOUS:
        return f"left out: the name of {len(one.concepts)} concepts"
    if one.why.startswith("section: "):
        return f"left out: it stands under “{one.section}”"
    flag, what = (one.negated, "denied") if one.negated is not None else (one.uncertain, "in doubt")
    if flag is None:
        return (
            "counts"
            if one.past is None
            else f"counts; past, because of “{caption[one.past.start : one.past.end]}”"
        )
    said = caption[flag.start : flag.end] if flag.trigger else ""
    by = f", because of “{said}”" if said else ", as the tool says"
    return f"{'counts, though ' if one.kept else 'left out: '}{what}{by}"
