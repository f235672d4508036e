"""Tests of what an operator sees: metrics, alerts and log lines."""
