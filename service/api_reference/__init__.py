"""The API reference: the OpenAPI document, built from routes and schemas, and a page that shows it."""
