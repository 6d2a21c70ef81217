"""The commands that turn captions into concepts, and say how good these are."""
