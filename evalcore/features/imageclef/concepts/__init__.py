"""Concept detection: ground truth, submissions, F1 and what lies behind it."""
