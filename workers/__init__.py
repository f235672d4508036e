"""What happens between a command and its commit, and whatever else is done behind the API: RQ jobs and their timers."""
