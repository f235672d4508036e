"""Building blocks of the benchmarks: a service to measure, players for it, and references."""
