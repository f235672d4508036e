"""Games and their seats before and beside play: summaries and inboxes."""
