"""Programs that cannot stand beside this one, MedCAT and QuickUMLS: run in environments of their own."""
