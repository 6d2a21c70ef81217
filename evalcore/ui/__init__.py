"""State, caches, inputs and words of the pages. With app.py and pages/ all that knows streamlit."""
