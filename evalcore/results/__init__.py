"""Results as tables: rows with declared columns, their writers, and tables for papers with their method."""
