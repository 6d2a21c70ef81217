"""The Ablation page: how much the settings decide."""
