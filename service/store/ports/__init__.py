"""The data types that the store takes and returns, and its errors."""
