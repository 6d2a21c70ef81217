"""Results: which system finds the better images, how sure that is, and where two systems differ.

``streamlit run app.py`` imports this file once, for the web server ``app``, and then runs it for each visit.
"""

if __name__ == "__main__":
    from evalcore.report.parts import LEAST
    from evalcore.ui.components import messages, select
    from evalcore.ui.frame import page
    from evalcore.ui.frame.pages import OUTCOME, SYSTEM_A, SYSTEM_B
    from evalcore.ui.results import all_pairs, board, closer, export, two_systems

    context = page.start("results", shows=(SYSTEM_A, SYSTEM_B))
    messages.show(OUTCOME)
    board.headline(context)
    parts = {"two": two_systems.section, "groups": two_systems.groups, "all": all_pairs.section}
    if len(context.choice.systems) < LEAST:
        del parts["all"]
    select.parts(parts, context, shown=two_systems.TITLES.__getitem__)
    closer.folded(context)
    board.numbers(context)
    export.folded(context)
else:
    import streamlit as st

    from evalcore import extensions
    from evalcore.ui.frame import ahead, guard, shell

    gates = [gate for _, middleware in extensions.additions("middleware") for gate in middleware()]
    guard.check_address()
    app = st.App(__file__, lifespan=ahead.drawn_once, middleware=(guard.MIDDLEWARE, *gates, shell.MIDDLEWARE))
