"""User satisfaction and relevance: data, cleansing, and how well each measure agrees."""
