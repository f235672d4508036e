"""The fixtures of the command line."""

from tests.cli.conftest import advance, oraclewheel, pennies, tables, workers_run

__all__ = ["advance", "oraclewheel", "pennies", "tables", "workers_run"]
