"""Commands on vectors of concepts, and on what people say about pairs of them."""
