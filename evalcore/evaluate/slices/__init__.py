"""Some of the queries: chosen by conditions, or divided into slices by a label, concepts or difficulty.

Candidates, ideals and the number of relevant candidates stay those of the whole study: what a system is
asked changes, what it can find does not.
"""
