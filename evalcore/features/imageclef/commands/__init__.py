"""``imageclef``: submissions to ImageCLEF caption, checked and scored as the official scripts do."""
