"""ImageCLEF caption, 2017 to 2026: submissions checked and scored as the official scripts do.

``editions`` what each year's script reads, rejects and counts; ``checks`` a file to rows, and every
problem of it at once; ``concepts`` and ``captions`` the two tasks, from ground truth to scores;
``models`` what some caption metrics need; ``result`` what comes out; ``board`` many runs side by side.
"""
