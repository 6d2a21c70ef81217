"""The Data page: what is loaded, whether there are problems, and ways to bring more in."""
