"""Many systems at once: every pair, ranks, groups of equals, and how alike their results are."""
