"""The processes that `oraclewheel serve` runs, and the checks before they start."""
