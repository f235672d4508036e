"""Benchmarks: ratios measured in one run: `python -m bench`, or `oraclewheel bench`."""
