"""Commands on machine-generated images."""
