"""Overview: which study is open, which system is best and how sure that is, where to go next."""

from evalcore.ui.frame import page
from evalcore.ui.overview import sections as overview

context = page.start("home")
overview.headline(context)
overview.averages(context)
overview.systems(context)
overview.closer(context)
overview.where_next(context)
