"""The sequence of play: the table is laid, days and turns pass, questions are put and answered (SET, DAY, TURN)."""
