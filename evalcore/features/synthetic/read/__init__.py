"""Files and uploads about generated images."""
