"""Which queries are hard, for whom, and where one system stands apart: all values, query by query."""
