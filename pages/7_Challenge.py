"""Challenge: would ImageCLEF take these runs, and what would they score?"""

import streamlit as st

from evalcore.ui.challenge import behind as challenge_behind
from evalcore.ui.challenge import image as challenge_image
from evalcore.ui.challenge import results as challenge_results
from evalcore.ui.challenge import sections as challenge
from evalcore.ui.challenge.keys import RUN
from evalcore.ui.components.text import plain
from evalcore.ui.frame import page

context = page.start("challenge")
task, edition = challenge.task()
how = challenge.options(context, task, edition)
files = challenge.bring(context, task, edition)
scored = challenge.score(context, task, edition, files, how) if files else None
if files and scored and scored.results:
    results = scored.results
    challenge_results.finding(results)
    baseline = challenge_results.compared(context, results, scored.remarks)
    challenge_results.published(files, task, edition, results)
    names = [one.name for one in results]
    name = st.selectbox("Look into a run", names, key=RUN, format_func=plain)
    one = results[names.index(name)] if name in names else results[0]
    problems, behind, images = st.tabs(["Problems", "Behind the score", "Images"])
    with problems:
        challenge_behind.problems(one)
    with behind:
        challenge_behind.behind(context, one)
    with images:
        at = challenge_image.images(results, one, baseline)
        if at is not None:
            challenge_image.beside(context, one, at)
