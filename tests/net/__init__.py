"""The net: recorded numbers of commands, pages and files, so that a room can be rewritten and no digit moves.

``cases.py`` and ``pages.py`` say what is recorded, by meaning; ``spelling.py`` is the one table of how that
is
spelled today (words of commands, options, keys of JSON, addresses of pages). ``record.py`` turns what comes
out
into values, ids, problems and words; ``golden/`` holds what was recorded, one compressed file a group.

    python -m tests.net compare [--all] [--group score ...]   what differs from the golden values
    python -m tests.net record --reason TEXT [--group ...] [--case ...]   accept what differs, with its reason
    python -m tests.net mutants [--only NAME ...]              how many deliberate faults are noticed

Numbers are equal at 1e-12 (relative above 1). Words are kept apart and never fail: they are listed. What
`record`
accepts is appended to ``changes.csv``, a line a case and column with its reason: that file is what a
reviewer reads.
Of the real studies beside the project the golden files hold numbers, ids and digests, never captions or
names.
"""
