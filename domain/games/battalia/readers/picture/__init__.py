"""The board of Battalia as a picture: map, figures, panel and legend."""
