"""Overview: which study is open, which system is best and how sure that is, where to go next.

``streamlit run app.py`` imports this file once, for the web server ``app``, and then runs it for each visit.
"""

if __name__ == "__main__":
    from evalcore.ui.components import own_data
    from evalcore.ui.frame import page
    from evalcore.ui.overview import sections as overview

    context = page.start("home")
    own_data.outcome()
    overview.headline(context)
    own_data.folded(context)
    overview.systems(context)
    overview.where_next(context)
    overview.more(context)
    overview.follows(context)
else:
    import streamlit as st

    from evalcore import extensions
    from evalcore.ui.frame import ahead, guard, shell

    gates = [gate for _, middleware in extensions.additions("middleware") for gate in middleware()]
    guard.check_address()
    app = st.App(__file__, lifespan=ahead.drawn_once, middleware=(guard.MIDDLEWARE, *gates, shell.MIDDLEWARE))
