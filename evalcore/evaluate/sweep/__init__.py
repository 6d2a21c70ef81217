"""Many settings of nn-IoU at once: scores over a grid of them, and what they do to the order of systems."""
