"""Prometheus metrics: of this process, and merged over all processes of a host."""
