"""Tables and word lists that come with the program; they lie beside the challenge."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

STOP_WORDS = {"2017": "nltk_2016_to_2017_153_words", "later": "nltk_later_with_apostrophes"}
"""English stop words of NLTK: the 153 words of 2016 to 2017, and the later list with apostrophes.

NLTK's stopwords corpus, which took the words from the Snowball project (BSD licence, Porter and Boulton);
kept as ``stopwords.json``, so that nothing is downloaded.
"""


def bundled(name: str) -> bytes:
    """Content of a file such as ``published_2017.csv``."""
    return files("evalcore.features.imageclef").joinpath(name).read_bytes()


@cache
def stop_words(name: str) -> frozenset[str]:
    """One of the lists in ``STOP_WORDS``."""
    return frozenset(json.loads(bundled("stopwords.json"))[STOP_WORDS[name]])
