"""What every process of the service does alike: it writes its log, and does not outlive the one that started it."""
