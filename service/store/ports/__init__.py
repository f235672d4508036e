"""What the rest of the service asks of a store; Redis and memory both keep these promises (tests/store/)."""
