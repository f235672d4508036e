"""How what lies elsewhere becomes files of our own: copied, asked for at one moment, and brought together."""
