"""Overview: which study is open, which system is best and how sure that is, where to go next.

``streamlit run app.py`` imports this file once, for the web server ``app``, and then runs it for each visit.
"""

if __name__ == "__main__":
    from evalcore.ui import home, page

    context = page.start("home")
    home.headline(context)
    home.averages(context)
    home.leaderboard(context)
    home.closer(context)
    home.where_next(context)
else:
    import streamlit as st

    from evalcore.ui import guard

    app = st.App(__file__, middleware=guard.MIDDLEWARE)
