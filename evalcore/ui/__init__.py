"""The pages' only doors: state, caches, inputs, words. Together with app.py and pages/, all that knows streamlit."""
