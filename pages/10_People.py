"""People: do the measures agree with readers and with satisfied users?"""

from evalcore.features.review.page_people import judgments, sentences
from evalcore.features.satisfaction.page import satisfaction
from evalcore.ui.components import select
from evalcore.ui.frame import page

context = page.start("people")
select.parts({"Readers": judgments.show, "Satisfaction": satisfaction.show}, context, keep=sentences.PART)
