"""Whether retrieval changes a diagnosis: cases that readers diagnose alone and with results beside them."""
