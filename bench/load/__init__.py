"""What the benchmarks are made of: a service to measure, players for it, and what to measure it by."""
