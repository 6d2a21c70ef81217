"""Groups of images against archetypes: scores, what is missing, and how much the settings decide."""
