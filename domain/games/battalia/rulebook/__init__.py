"""The rules, one package for each chapter of the rulebook."""
