"""What the API says of itself: the docs of its routes, its parameters, the OpenAPI document and its page."""
