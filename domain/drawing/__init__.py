"""Pictures and texts made of a view: elements of SVG, charts, and what is drawn of a game that draws nothing of its own."""
