"""What the tab on readers says, in one sentence each, for both kinds of reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

from evalcore.features.review.agreement.between import ReaderAgreement
from evalcore.features.review.agreement.measures import Coverage, MeasureAgreement
from evalcore.features.review.readers.results import ReaderResults
from evalcore.stats.correction import CLEAR
from evalcore.ui.frame import state
from evalcore.ui.frame.state import Key
from evalcore.values.markdown import md_escape
from evalcore.values.writing import brief, count, listed, number, percent, span, things

MANY = 0.1
"""From this share of results on, those left out are worth a warning."""


def bold(name: str) -> str:
    return f"**{md_escape(name)}**"


def all_simulated(found: ReaderResults) -> bool:
    """Whether nobody is behind any of the readers."""
    return set(found.simulated) >= set(found.readers)


def who(found: ReaderResults) -> str:
    """ "the readers", or "the simulated readers"."""
    return "the simulated readers" if all_simulated(found) else "the readers"


def headline(
    found: ReaderResults, ranked: Sequence[MeasureAgreement], labels: Mapping[str, str], *, plain: bool
) -> str:
    """Which measure agrees best with the readers, how well, and which are not clearly worse."""
    known = [one for one in ranked if isfinite(one.within.mean)]
    if not known:
        return (
            f"No measure can be compared with {who(found)} yet: that takes a query with results they grade "
            "differently."
        )
    best, of = known[0], known[0].within
    value = brief(of.mean) if plain else number(of.mean)
    what = (
        f"its order of a query’s results and theirs agree to **{value}**, where 1 means the same order and 0 "
        "no relation"
        if plain
        else f"Kendall’s τ-b within queries **{value}**"
    )
    over = (
        f"{span(of.low, of.high)} with 95% confidence; {things(len(found.readers), 'reader')}, "
        f"{things(best.pooled.n, 'result')} of {things(best.pooled.n_groups, 'query')}"
    )
    first = f"{bold(labels[best.measure])} agrees best with {who(found)}: {what} ({over})."
    return f"{first} {_others(known, labels)}".strip()


def _others(known: Sequence[MeasureAgreement], labels: Mapping[str, str]) -> str:
    """Which measures are not clearly worse than the best; said only where they were compared with it."""
    best = known[0].measure
    compared = [one for one in known[1:] if one.against is not None and one.against.reference == best]
    if not compared:
        return ""
    close = [
        bold(labels[one.measure]) for one in compared if one.against and not one.against.p_corrected < CLEAR
    ]
    if not close:
        return "All others agree clearly less."
    if len(close) == len(compared) > 1:
        return "None of the others is clearly worse."
    return f"Not clearly worse: {listed(close, limit=4)}."


def left_out(found: ReaderResults, labels: Mapping[str, str]) -> str:
    """Measures without a value for many of the judged results, which are then left out; "" where none is."""
    n = 0 if found.pairs is None else found.pairs.left_out
    if found.pairs is None or n < MANY * (n + len(found.pairs.queries)):
        return ""
    each = listed([f"{bold(labels[name])} ({count(k)})" for name, k in found.without.items()], limit=4)
    return (
        f"{count(n)} of {things(n + len(found.pairs.queries), 'judged result')} are left out under all "
        f"measures, as some have no value for them: {each}. Take these away under “Tasks and measures”."
    )


def between(found: ReaderAgreement, simulated: bool, what: str, *, plain: bool) -> str:
    """How far readers agree with each other."""
    if found.why_none:
        return found.why_none
    a = found.alpha
    readers = things(len(found.readers), "simulated reader" if simulated else "reader")
    ends = span(a.low, a.high)
    if plain:
        return (
            f"On {what}, {readers} agree **{_how_well(a.mean)}**: {brief(a.mean)}, where 1 means always and "
            f"0 no more than by chance ({ends} with 95% confidence; {things(a.n, 'item')} judged by two or "
            "more)."
        )
    kappa = ""
    if isfinite(found.fleiss) and found.level != "interval":
        kappa = f" Fleiss’ κ {number(found.fleiss)} over the {count(found.n_by_all)} judged by all."
    return (
        f"On {what}: Krippendorff’s α ({found.level}) **{number(a.mean)}** (95% {ends}, bootstrap over "
        f"{things(found.n_queries, 'query')}, {count(a.n_resamples)} resamples, seed {a.seed}); "
        f"{readers}, {things(a.n, 'item')} judged by at least two.{kappa}"
    )


def _how_well(alpha: float) -> str:
    """Krippendorff's own thresholds in words: reliable from 0.8, tentative from 0.667."""
    if alpha >= 0.8:
        return "well"
    return "fairly well" if alpha >= 0.667 else "only in part" if alpha >= 0.2 else "hardly"


def coverage(rows: Sequence[Coverage], *, plain: bool) -> str:
    """How much of the lists was judged, and whose score suffers."""
    if not rows:
        return "The study has no systems whose lists could have been judged."
    k = rows[0].k
    poor = sorted((one for one in rows if one.poor), key=lambda one: one.share)
    over = f"the first {things(k, 'result')} of {things(rows[0].n_queries, 'judged query')}"
    if not poor:
        return f"Of {over}, at least 90% were judged for every system."
    each = listed([f"{bold(one.system)} {percent(one.judged, one.n_results)}" for one in poor], limit=6)
    said = (
        f"Of {over}, less than 90% were judged for {each}. Readers saw only what was in the pool, and what "
        "nobody judged counts as not relevant: by judgments, such a system scores lower than it may deserve."
    )
    return said if plain else f"{said} `nDCG(judged,only=judged)` ignores what nobody judged."


# Which part of the page People is open, and what the readers' judgments are looked at by.

PART = state.TAB
TASK = Key("task", of_study=True)
MEASURES = Key("against_readers", of_study=True)
STATISTIC = Key("agreeing")
REFERENCE = Key("reference_measure", of_study=True)
HOW = Key("several_readers")
DIFFER = Key("differs", of_study=True)
