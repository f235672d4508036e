"""Prices, and the cards that pay for them (PAY, TURN-03)."""
