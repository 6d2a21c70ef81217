"""What belongs to captions turned into concepts: the settings beside a study, and the tables written."""
