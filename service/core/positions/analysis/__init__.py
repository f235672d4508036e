"""Analysis of a finished game: judged decisions, winning chances, luck and turning points."""
