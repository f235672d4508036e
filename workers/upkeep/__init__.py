"""What is set right beside the play: lobbies that were abandoned, and what SYSTEM was refused."""
