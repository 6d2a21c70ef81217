"""Challenge: would ImageCLEF accept these files, and how would they score?

Links to this page: ``task`` ("concepts" or "captions"), ``edition`` (a year), ``bleu`` and ``bertscore``
(variants of the official score), ``source`` (uploaded files or the example), ``run``, ``against`` and
``images`` (what is looked at), ``part`` (the open tab).
"""

from evalcore.ui.frame import page

page.of_feature("challenge")
