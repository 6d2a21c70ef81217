"""What the pages are made of: state, caches, inputs, words. With app.py and pages/ all that knows streamlit."""
