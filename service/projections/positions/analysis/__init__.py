"""What a finished game looks like to who analyses it: decisions judged, chances of winning, luck, and where it turned."""
