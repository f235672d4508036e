"""Four games over four weeks, once without failures and once with killed processes, and the comparison of both."""
