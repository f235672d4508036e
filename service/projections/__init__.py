"""Read models: positions folded from the event log, and the JSON served to readers."""
