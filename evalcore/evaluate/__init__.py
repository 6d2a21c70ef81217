"""Composition: relevance x runs x measures -> scores, and from scores to statements.

The only place that decides what missing, empty and undefined queries count.
"""
