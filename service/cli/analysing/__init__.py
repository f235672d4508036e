"""Analysis of games in files: reading them, analyzing their moments in several processes, and printing the report."""
