"""What `oraclewheel serve` runs: processes, and what is looked at before any starts."""
