"""Captions to concepts: which terms a text holds, what is denied, and how good the concepts found are."""
