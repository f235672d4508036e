"""The sequence of play: setup, days, turns, questions and answers (SET, DAY, TURN)."""
