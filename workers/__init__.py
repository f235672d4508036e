"""Background work: settling commands, timers, deliveries, searches. RQ jobs and their schedule."""
