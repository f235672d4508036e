"""Many servers that hold one store: which of them has a key, what is said to each, and what is heard from all."""
