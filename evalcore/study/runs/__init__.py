"""Readers of what systems return: runs in TREC, table and JSON form."""
