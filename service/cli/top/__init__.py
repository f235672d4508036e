"""The live status for `oraclewheel top`."""
