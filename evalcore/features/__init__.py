"""What one user needs and another does not: each feature a whole, in a folder of its own."""
