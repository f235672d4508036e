"""What has happened, as each reader may read it."""
