"""What so many hosts carry, and where it breaks first: costs measured here, a day simulated with them, and the page of both."""
