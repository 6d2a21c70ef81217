"""Values to plotly figures: no streamlit, no files, no computation beyond layout.

One module per question; every figure function has an ``..._alt`` beside it (the take-away in one
sentence) and two lines in ``reading.HOW_TO_READ``. Colours, fonts and the empty figure come from
``theme``; escaping and numbers in sentences from ``words``.
"""
