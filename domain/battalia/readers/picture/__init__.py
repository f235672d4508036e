"""The board of Battalia as a picture: the map, who stands on it, what there is beside it, what every sign means."""
