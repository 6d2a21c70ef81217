"""Several systems put together, and how good the best of what they return could be."""
