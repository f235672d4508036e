"""One connection to one server: what is said over it, and how many share it."""
