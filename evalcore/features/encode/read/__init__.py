"""What encoders read and write: folders of models, rows kept by content, systems put into a study."""
