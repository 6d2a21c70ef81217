"""The net: recorded numbers of commands, pages and files, so that a room can be rewritten and no digit moves.

``cases.csv`` says what is recorded, by meaning; ``spelling.py`` is the one table of how that is spelled today
(words of commands, options, keys of JSON, pages). ``record.py`` turns what comes out into values, ids,
problems and words; ``golden/`` has what was recorded, one compressed file a group.

    python -m tests.net compare [--all] [--group score ...]   what differs from the golden values
    python -m tests.net record --accept PLACE REASON [...]    take what differs there, with its reason
    python -m tests.net mutants [--only NAME ...]             how many deliberate faults are noticed

Numbers are equal at 1e-12 (relative above 1). Words are kept apart and never fail: they are listed. What
`record` takes is appended to ``changes.csv``, a line a group and column with its reason: that is what a
reviewer reads. Of the real studies beside the project the golden files hold numbers, ids and digests, never
captions or names.
"""
