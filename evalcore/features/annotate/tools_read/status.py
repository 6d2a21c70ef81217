"""What a tool says about a match beside its concept, in words of this program."""

from __future__ import annotations

from collections.abc import Mapping

NEGATED, UNCERTAIN, PAST, SOMEBODY_ELSE = "negated", "uncertain", "past", "somebody-else"
STATES = (NEGATED, UNCERTAIN, PAST, SOMEBODY_ELSE)

_MEANS: Mapping[str, Mapping[str, str]] = {
    "negation": {"yes": NEGATED, "true": NEGATED, "negated": NEGATED, "negative": NEGATED},
    "presence": {
        "false": NEGATED,
        "no": NEGATED,
        "not present": NEGATED,
        "not present (false)": NEGATED,
        "hypothetical": UNCERTAIN,
        "hypothetical (n/a)": UNCERTAIN,
        "n/a": UNCERTAIN,
    },
    "status": {"other": UNCERTAIN, "negated": NEGATED, "hypothetical": UNCERTAIN},
    "certainty": {"suspected": UNCERTAIN, "uncertain": UNCERTAIN, "possible": UNCERTAIN},
    "time": {"past": PAST, "future": UNCERTAIN},
    "subject": {"other": SOMEBODY_ELSE, "relative": SOMEBODY_ELSE, "family": SOMEBODY_ELSE},
}
"""Names and values of the meta annotations of published MedCAT packs."""
_ALSO = {"temporality": "time", "experiencer": "subject", "diagnosis certainty": "certainty"}


def states(status: Mapping[str, str]) -> tuple[str, ...]:
    """Those of `STATES` that a status means; names and values nobody knows mean none.

    >>> states({"Negation": "Yes", "Time": "Recent"}), states({"Presence": "Hypothetical (N/A)"})
    (('negated',), ('uncertain',))
    """
    found = set()
    for name, value in status.items():
        plain = name.strip().casefold()
        found.add(_MEANS.get(_ALSO.get(plain, plain), {}).get(value.strip().casefold(), ""))
    return tuple(state for state in STATES if state in found)
