"""Word that reaches people: what a commit tells a subscription, and the ways in which it is delivered."""
