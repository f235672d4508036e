"""The available games, described for clients: their choices, schemas, rulesets and guides."""
