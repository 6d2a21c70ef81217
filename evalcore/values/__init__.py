"""The ground: arrays, settings, errors, progress, and the values that pass between packages."""
