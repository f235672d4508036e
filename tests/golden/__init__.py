"""Every sentence that a game's history can be told in, as people read it: a file for each game, which somebody has read.

``python -m tests.golden`` makes the files anew; whoever changes a sentence reads what has become of it.
"""
