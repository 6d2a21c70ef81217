"""Machine-generated images against real ones: Tversky similarity, diversity, memorisation."""
