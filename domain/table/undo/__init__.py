"""Undo: reverts what a seat has done and everything after it, at once or with the consent of those concerned."""
