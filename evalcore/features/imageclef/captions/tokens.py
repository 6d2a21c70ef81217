"""How captions become words before they are compared, edition by edition.

2017 to 2019, 2022: lower case, ASCII punctuation deleted (so "x-ray" is "xray" and "3.5" is "35"),
NLTK's word_tokenize, stop words left out; 2017 to 2019 also stemmed (Snowball). Without punctuation
word_tokenize does little but split at spaces, "cannot" and five more contractions; newer versions also
split off typographic quotes. From 2023 on: lower case, runs of digits to "number", punctuation deleted.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Set
from typing import Literal

Nltk = Literal["nltk322", "modern"]

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_CONTRACTED = re.compile(r"(?i)\b(can)(not)\b|\b(gim|lem)(me)\b|\b(gon|wan)(na)\b|\b(got)(ta)\b")
_QUOTES = re.compile("([«“‘„»”’])")
_DIGITS = re.compile(r"\d+")
_ROUGE = re.compile("[^a-z0-9]+")


def words(
    caption: str, *, stop_words: Set[str], stem: Callable[[str], str] | None, nltk: Nltk = "nltk322"
) -> list[str]:
    """Words of a caption as the scripts of 2017 to 2022 compare them.

    ``stem`` None leaves words as they are; ``nltk`` "modern" splits off typographic quotes.

    >>> words("CT of the X-ray cannot show 3.5 cm.", stop_words={"of", "the", "not"}, stem=None)
    ['ct', 'xray', 'can', 'show', '35', 'cm']
    """
    text = caption.lower().translate(_NO_PUNCTUATION)
    if nltk == "modern":
        text = _QUOTES.sub(r" \1 ", text)
    text = _CONTRACTED.sub(lambda hit: " ".join(part for part in hit.groups() if part), text)
    kept = [word for word in text.split() if word not in stop_words]
    return kept if stem is None else [stem(word) for word in kept]


def normalised(caption: str) -> str:
    """The caption as the scripts from 2023 on compare it.

    >>> normalised("Axial CT at L4-5, 3.5 cm mass.")
    'axial ct at lnumbernumber numbernumber cm mass'
    """
    return _DIGITS.sub("number", caption.lower()).translate(_NO_PUNCTUATION)


def rouge_words(text: str) -> list[str]:
    """Words as the rouge-score package sees them: runs of a-z and 0-9, lower case."""
    return _ROUGE.sub(" ", text.lower()).split()


def stemmer() -> Callable[[str], str]:
    """NLTK's English Snowball stemmer, each word stemmed once."""
    from functools import cache

    from nltk.stem.snowball import SnowballStemmer  # type: ignore[import-untyped]

    stem: Callable[[str], str] = cache(SnowballStemmer("english").stem)
    return stem
