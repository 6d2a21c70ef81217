"""A study and what was chosen about it as one document to take away: words, tables, figures, and how to get
the same numbers again. Knows figures and all below, never the pages or the command line.
"""
