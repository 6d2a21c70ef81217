"""Overview: which study is open, which system is best and how sure that is, where to go next."""

from evalcore.ui import home, page

context = page.start("home")
home.headline(context)
home.figures(context)
home.leaderboard(context)
home.where_next(context)
