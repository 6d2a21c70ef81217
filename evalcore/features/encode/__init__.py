"""Images and captions become vectors, and those a system of the study: by trained encoders or without."""
