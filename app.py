"""Overview: which study is open, which system is best and how sure that is, where to go next.

``streamlit run app.py`` imports this file once, for the web server ``app``, and then runs it for each visit.
"""

if __name__ == "__main__":
    from evalcore.ui.frame import page
    from evalcore.ui.overview import export
    from evalcore.ui.overview import sections as overview

    context = page.start("home")
    overview.headline(context)
    overview.averages(context)
    overview.systems(context)
    overview.closer(context)
    overview.where_next(context)
    export.section(context)
else:
    import streamlit as st

    from evalcore.ui.frame import ahead, guard

    app = st.App(__file__, lifespan=ahead.drawn_once, middleware=guard.MIDDLEWARE)
