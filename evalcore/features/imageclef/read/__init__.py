"""Files of the ImageCLEF challenge."""
