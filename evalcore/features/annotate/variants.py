"""The other number of an English or Latin noun: effusion, effusions; bronchus, bronchi."""

from __future__ import annotations

LEAST = 3
"""Letters a word must have to be given another number."""
_TO_PLURAL = (
    ("nx", "nges"), ("ex", "ices"), ("ix", "ices"), ("oma", "omas"), ("oma", "omata"), ("is", "es"),
    ("us", "i"), ("um", "a"), ("on", "a"), ("a", "ae"),
)  # fmt: skip
_LATIN_ON = ("ganglion", "mitochondrion", "phenomenon", "criterion")
_TO_SINGULAR = (
    ("nges", "nx"), ("ices", "ix"), ("ices", "ex"), ("omata", "oma"), ("ae", "a"), ("ies", "y"),
    ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("ses", "sis"), ("ses", "se"),
)  # fmt: skip
_HISSES = ("s", "x", "z", "ch", "sh")


def other_numbers(word: str) -> tuple[str, ...]:
    """What a noun may look like in its other number; some of it may be no word at all, which does no harm.

    >>> other_numbers("effusion"), other_numbers("biopsy"), other_numbers("vertebra")
    (('effusions',), ('biopsies',), ('vertebrae', 'vertebras'))
    >>> other_numbers("metastasis"), other_numbers("lungs"), other_numbers("ct")
    (('metastases',), ('lung',), ())
    """
    if len(word) < LEAST or not word.isalpha():
        return ()
    found = [word.removesuffix(end) + other for end, other in _TO_PLURAL if _takes(word, end)]
    if word.endswith("y") and word[-2] not in "aeiou":
        found.append(f"{word[:-1]}ies")
    elif word.endswith(_HISSES):
        if not word.endswith("s") or word.endswith(("ss", "us")):
            found.append(f"{word}es")
        found += _singular(word)
    else:
        found.append(f"{word}s")
        found += [word.removesuffix(end) + other for end, other in _TO_SINGULAR if _ends(word, end)]
    return tuple(dict.fromkeys(one for one in found if one != word and len(one) >= LEAST))


def _takes(word: str, end: str) -> bool:
    return _ends(word, end) and (end != "on" or word in _LATIN_ON)


def _ends(word: str, end: str) -> bool:
    return word.endswith(end) and len(word) - len(end) >= 2


def _singular(word: str) -> list[str]:
    found = [word.removesuffix(end) + other for end, other in _TO_SINGULAR if _ends(word, end)]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and not found:
        found.append(word[:-1])
    return found
