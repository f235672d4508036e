"""Figures for Prometheus: what this process has seen, and how those of all processes of a host are read as one."""
