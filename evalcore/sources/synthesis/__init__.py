"""Feature tables, rankings and uploaded groups of images for the evaluation of generated images."""
