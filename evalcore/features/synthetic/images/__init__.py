"""Features measured in images: intensity, texture, objects, sharpness."""
