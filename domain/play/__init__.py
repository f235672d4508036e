"""One command, one commit: what the table makes of a submission, and how commits fold into positions."""
