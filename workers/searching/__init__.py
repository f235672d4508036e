"""The jobs of the compute queues: moves of search bots, and analyses."""
