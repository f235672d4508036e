"""What goes out to people who are not looking: feeds for their readers and calendars."""
