"""The log of every game and what is derived from it, behind ports that Redis and memory both keep."""
