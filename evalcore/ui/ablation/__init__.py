"""The Sensitivity page: how much the settings decide."""
