"""Push notifications to browsers: devices, content and encryption."""
