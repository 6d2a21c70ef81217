"""Page of context-aware gain against user satisfaction."""
