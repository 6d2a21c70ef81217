"""Readers: what do they say, and do the measures agree with them?"""

from evalcore import extensions
from evalcore.ui.components import select
from evalcore.ui.frame import page

blind, judge = map(extensions.addition, ("judging blind", "judging"))
context = page.start("readers", blind=blind)
parts = {"judge": judge} if judge else {}
titles = {"judge": "Judge results"}
if not (blind and blind()):
    for feature, show in extensions.additions("readers part"):
        parts[feature.name] = show
        titles[feature.name] = feature.title
    select.parts(parts, context, shown=titles.__getitem__)
else:
    judge(context)
