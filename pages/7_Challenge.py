"""Challenge: would ImageCLEF take these runs, and what would they score?"""

import streamlit as st

from evalcore.ui import challenge, challenge_image, challenge_results, page, state
from evalcore.ui.text import plain

context = page.start("challenge")
task, edition = challenge.task()
files = challenge.bring(context, task, edition)
results = challenge.score(context, task, edition, files) if files else None
if results:
    challenge_results.finding(results)
    challenge_results.compared(context, results)
    names = [one.name for one in results]
    name = st.selectbox("Look into a run", names, key=state.RUN, format_func=plain)
    one = results[names.index(name)] if name in names else results[0]
    problems, behind, images = st.tabs(["Problems", "Behind the score", "Images"])
    with problems:
        challenge_results.problems(one)
    with behind:
        challenge_results.behind(context, one)
    with images:
        at = challenge_image.images(results, one)
        if at is not None:
            challenge_image.beside(context, one, at)
