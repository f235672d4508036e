"""Taking back: what a seat has done, with all that came of it, by itself or with the consent of those concerned."""
