"""Golden files of the narration, one for each game: every sentence of its history, as players read it.

``python -m tests.golden`` generates the files again. If you change a sentence, review the diff.
"""
