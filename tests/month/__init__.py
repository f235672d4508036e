"""Four games by post over four weeks, once in quiet and once through killed processes, and what must be the same of both."""
