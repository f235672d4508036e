"""What the API says of itself."""
