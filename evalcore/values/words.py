"""Lists of many words, written as a text is."""

from __future__ import annotations


def words(text: str, *, between: str = ",") -> tuple[str, ...]:
    """The words and phrases of a text, white space within them as one space.

    >>> words("no, without evidence of,")
    ('no', 'without evidence of')
    """
    return tuple(plain for one in text.split(between) if (plain := " ".join(one.split())))
