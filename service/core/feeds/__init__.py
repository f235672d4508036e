"""Feeds of a game's history (Atom) and calendars of deadlines (iCalendar)."""
