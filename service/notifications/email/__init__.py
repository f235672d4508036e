"""Email to players: address, schedule, content and sending."""
