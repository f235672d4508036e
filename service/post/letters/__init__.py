"""Letters to players who are not looking: to which address, when, what stands in them, and how they are sent."""
