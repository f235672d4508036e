"""The clients that the project ships, made from the contract, against a service that runs as it does for everybody."""
