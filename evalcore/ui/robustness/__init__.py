"""Whether other settings, or other measures, would change the winner."""
