"""The Data page: what is loaded, is it sound, and ways to bring more in."""
