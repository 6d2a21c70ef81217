"""Reading what machine-generated images are evaluated by: feature tables, weights, folders of images."""
