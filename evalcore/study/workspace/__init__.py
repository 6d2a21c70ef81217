"""What the program keeps for its user: uploaded studies, recent folders."""
