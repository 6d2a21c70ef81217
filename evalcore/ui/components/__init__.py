"""What pages are made of: widgets that remember, figures, tables, pictures, sentences, numbers."""
