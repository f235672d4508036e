"""The map of Fronela as a picture: the land, who stands on it, what there is below it, what every sign means."""
