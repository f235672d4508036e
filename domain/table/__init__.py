"""What every game has besides its rules: how a command becomes a commit, the clocks, seats, undo, votes, chat and bots."""
