"""The prose check: how often texts use words that engineers outside this project would have to read twice."""
