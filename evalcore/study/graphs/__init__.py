"""Readers of concept graphs: edge tables, MRREL, OBO, GraphML, and dictionaries of neighbours."""
