"""The map of Fronela as a picture: land, units, player panel and legend."""
