"""Reader studies: several readers, several cases, and how systems differ for other readers and cases."""
