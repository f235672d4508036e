"""What an operator sees: figures, alerts, and the lines of the log."""
