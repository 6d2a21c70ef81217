"""What was found on satisfaction, in sentences: which measure agrees best, does context-aware gain help?"""

from __future__ import annotations

from math import isfinite

from evalcore.features.satisfaction.agreement import Agreement, Difference, Found
from evalcore.features.satisfaction.choices import REASONS
from evalcore.features.satisfaction.data import Clean, Satisfaction
from evalcore.stats.correction import CLEAR, NAMES
from evalcore.ui.frame.state import Key
from evalcore.values.writing import count, listed, number, span, things

TESTS = {
    "williams": "Williams",
    "steiger": "Steiger",
    "meng": "Meng, Rosenthal & Rubin",
    "hotelling": "Hotelling",
    "fisher": "Fisher for independent samples, which these are not",
}
TITLES = {
    "RBP": "rank-biased precision",
    "DCG": "discounted gain",
    "CG": "mean relevance of the images",
    "AVG": "mean relevance of the rows",
    "MAX": "best image",
    "ERR": "expected reciprocal rank",
}


def headline(data: Satisfaction, found: Found, *, plain: bool) -> str:
    """The main sentences, Markdown."""
    best = found.best
    whose = "simulated users" if data.origin == "simulated" else "participants"
    n = f"{things(found.n_queries, 'query')} of {count(found.n_users)} {whose}"
    if best is None:
        return f"No measure varies together with satisfaction ({n})."
    name = f"**{best.metric}**" + (f" ({TITLES[best.metric]})" if plain else "")
    sure = f", {found.level:.0%} interval {span(best.ci_low, best.ci_high)}" if isfinite(best.ci_low) else ""
    rho = "Spearman’s ρ" if not plain else "rank correlation"
    strength = f" {_strength(best)}" if plain else ""
    if best.ci_low <= 0:
        where = "which includes 0" if best.ci_high >= 0 else "which lies below 0"
        return (
            f"**No measure clearly agrees with satisfaction here**: the highest of {count(len(found.rows))} "
            f"correlations, {best.metric} on {best.gain} gain over {things(best.depth, 'row')}, is "
            f"{number(best.spearman)}{sure}, {where}; {n}. {verdict(found)}"
        )
    return (
        f"{name} on {best.gain} gain over {things(best.depth, 'row')} agrees best with satisfaction: {rho} "
        f"**{number(best.spearman)}**{sure}; {n}.{strength} {verdict(found)}"
    )


def _strength(best: Agreement) -> str:
    """What such a correlation means, for people who see few of them."""
    size = abs(best.spearman)
    word = "weak" if size < 0.3 else "moderate" if size < 0.5 else "strong"
    return f"That is a {word} agreement (0: none, 1: the same order)."


def verdict(found: Found) -> str:
    """Does context-aware gain help, measure by measure, after correction?"""
    up = [one for one in found.differences if one.p_corrected < CLEAR and one.difference > 0]
    down = [one for one in found.differences if one.p_corrected < CLEAR and one.difference < 0]
    m = len(found.differences)
    if up and not down:
        return f"**Context-aware gain helps here**: agreement is higher in {_of(up, m)}{_rest(m - len(up))}."
    if down and not up:
        rest = _rest(m - len(down))
        return f"**Context-aware gain does not help here**: agreement is lower in {_of(down, m)}{rest}."
    if up and down:
        return (
            f"**Context-aware gain helps some measures and hurts others**: higher in {_of(up, m)}, lower in "
            f"{_of(down, m)}."
        )
    return "**Context-aware gain makes no clear difference here**: every change may be due to chance."


def _of(some: list[Difference], m: int) -> str:
    names = listed(list(dict.fromkeys(one.metric for one in some)), limit=6)
    return f"{count(len(some))} of {count(m)} comparisons ({names})"


def _rest(n: int) -> str:
    return "" if n == 0 else ", in the others the change may be due to chance"


def method(found: Found, window: int) -> str:
    """How the numbers came about, Markdown."""
    test = TESTS[found.differences[0].test]
    drawn = "participants, each with all of their queries" if found.resample == "users" else "queries"
    return (
        f"Spearman’s ρ over {things(found.n_queries, 'query')}; {found.level:.0%} percentile "
        f"bootstrap intervals from {count(found.n_resamples)} resamples of {drawn}, seed {found.seed}. "
        f"Context-aware minus original: two-sided test of {test} (correlations over the same queries), "
        f"{NAMES['holm']} over the {things(len(found.differences), 'comparison')}; it takes queries as "
        f"independent of each other, the intervals do not. Window of {things(window, 'image')}; RBP with "
        "p = 0.95; RBP, DCG, CG and ERR per image."
    )


def dropped(clean: Clean) -> str:
    """What the cleansing left out."""
    gone = [f"{count(n)} {REASONS[reason]}" for reason, n in clean.dropped.items() if n]
    left = f"{things(clean.n_queries, 'query')} of {things(clean.n_users, 'participant')} count."
    return f"{left} Left out: {'; '.join(gone)}." if gone else f"{left} Nothing had to be left out."


# Where the ratings come from, which of them count, and what is drawn.

SOURCE = Key("ratings")
USERS = Key("users_who")
SCALE = Key("relevance_scale")
BY = Key("relevance_by", of_study=True)
SYSTEM = Key("rated_system", of_study=True)
WIDTH = Key("per_row")
DEPTHS = Key("rows")
DEPTH = Key("rows_drawn")
WINDOW = Key("window")
TEST = Key("test_of_difference")
RESAMPLE = Key("resample")
BESIDE = Key("published")
VARIANCE = Key("variance_rows")
STEP = {name: Key(f"step_{name}") for name in ("invalid", "short", "few", "minmax")}
NOT_DONE = "satisfaction_not_done"
