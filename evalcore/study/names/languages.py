"""Languages of names: BCP 47 from what terminologies write (LAT of the UMLS, ISO 639-2)."""

from __future__ import annotations

import re

_TWO = {
    "ara": "ar", "baq": "eu", "eus": "eu", "chi": "zh", "zho": "zh", "cze": "cs", "ces": "cs", "dan": "da",
    "dut": "nl", "nld": "nl", "eng": "en", "est": "et", "fin": "fi", "fre": "fr", "fra": "fr", "ger": "de",
    "deu": "de", "gre": "el", "ell": "el", "heb": "he", "hun": "hu", "ita": "it", "jpn": "ja", "kor": "ko",
    "lav": "lv", "lit": "lt", "nor": "no", "pol": "pl", "por": "pt", "rum": "ro", "ron": "ro", "rus": "ru",
    "scr": "hr", "hrv": "hr", "slk": "sk", "slo": "sk", "slv": "sl", "spa": "es", "swe": "sv", "tur": "tr",
    "ukr": "uk",
}  # fmt: skip
_TAG = re.compile(r"[a-z]{2,3}(-[a-z0-9]{1,8})*")
ENGLISH = "en"


def language_of(text: str) -> str:
    """The language a cell names, "" for one that names none.

    >>> [language_of(text) for text in ("ENG", "GER", "de_AT", "EN", "", "T047", "yes!")]
    ['en', 'de', 'de-at', 'en', '', '', '']
    """
    tag = text.strip().lower().replace("_", "-")
    if not _TAG.fullmatch(tag):
        return ""
    first, dash, rest = tag.partition("-")
    return _TWO.get(first, first) + dash + rest


def is_english(language: str) -> bool:
    """Whether a name may be shown as an English one: it is, or nobody says.

    >>> [is_english(language) for language in ("", "en", "en-gb", "de")]
    [True, True, True, False]
    """
    return language.split("-")[0] in ("", ENGLISH)
