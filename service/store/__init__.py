"""The log of every game and what is derived from it, kept in Redis or Valkey."""
