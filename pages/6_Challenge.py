"""Challenge: would ImageCLEF accept these files, and how would they score?"""

from evalcore.ui.frame import page

page.of_feature("challenge")
