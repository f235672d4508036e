"""What a request has at hand."""
