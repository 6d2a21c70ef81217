"""The parts of a study: one module per kind of file, and the registry of all."""
