"""Notices that are pushed to browsers: to which device, what stands in them, and how they are sealed."""
