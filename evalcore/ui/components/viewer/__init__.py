"""Two images large side by side: zoom and pan together, window and level, by mouse, touch and keyboard."""
