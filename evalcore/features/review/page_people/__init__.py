"""Page of what readers said, and which measure agrees with them."""
