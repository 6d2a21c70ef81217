"""Overview: which study is open, which system is best and how sure that is, where to go next."""

from evalcore.ui.frame import page
from evalcore.ui.overview import sections as home

context = page.start("home")
home.headline(context)
home.averages(context)
home.leaderboard(context)
home.closer(context)
home.where_next(context)
