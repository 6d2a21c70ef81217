"""The page Queries: which queries are hard, and where one system stands apart."""
