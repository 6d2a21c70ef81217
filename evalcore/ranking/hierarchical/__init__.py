"""Measures of graded results: of any relevance, and of the levels of a hierarchy of labels."""
