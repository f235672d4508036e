"""What workers of the queue ``think`` do: jobs that compute for longer than anybody at a table should wait."""
