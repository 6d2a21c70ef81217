"""Which kind each concept has: from ``kinds.csv``, a column of names, roots in the graph, or MRSTY."""
