"""The service in one process, for the tests of each feature."""

from tests.core.http.conftest import every_problem_is_declared, pennies, world

__all__ = ["every_problem_is_declared", "pennies", "world"]
