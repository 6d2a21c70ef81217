"""Values to plotly figures: no streamlit, no files, no computation beyond layout.

Five families and the graph draw every figure: `rows`, `matrix`, `lines`, `bars`, `clouds`, `graph`. A figure
function decides what is drawn, in which words, and what a click carries; the family adapts to phones, dark
pages and print. It returns a `frame.AccessibleFigure`: plotly's figure, its take-away in a sentence and how
to read it.
Most need a ``theme``: `theme.LIGHT`, `theme.DARK` or `printed.PAPER`.
"""
