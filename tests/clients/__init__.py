"""The clients that the project ships, generated from the contract, against a normal service."""
