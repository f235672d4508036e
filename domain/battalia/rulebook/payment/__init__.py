"""What things cost and which cards pay for them (PAY, TURN-03)."""
