"""One command, one commit: how the table settles a submission, and how commits fold into positions."""
