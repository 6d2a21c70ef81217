"""What other programs score with: judgments of a study."""
