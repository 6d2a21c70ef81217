"""ImageCLEF caption, 2017 to 2026: submissions checked and scored as the official scripts do.

``editions`` what each year's script reads, rejects and counts; ``records`` a file to rows;
``concept_runs`` and ``caption_runs`` every problem of a submission at once, and its repair;
``concept_scores`` the official F1; ``concept_detail`` what lies behind it; ``board`` many runs.
"""
