"""Files of satisfaction studies: what was shown and how relevant it is, and how satisfied people were."""
