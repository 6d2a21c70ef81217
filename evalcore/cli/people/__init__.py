"""Commands on what people say."""
