"""The API's documentation: the docs of its routes, its parameters, the OpenAPI document and its page."""
