"""A system's vectors in the plane: which images does it think alike?"""
