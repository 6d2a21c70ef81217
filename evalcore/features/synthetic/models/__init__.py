"""Trained networks that compare pictures: optional, from local files, never downloaded."""
