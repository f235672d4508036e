"""The mechanism that every game is built on: dice, questions, options, records of the log, and the game's life from begin to end."""
