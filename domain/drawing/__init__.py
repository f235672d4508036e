"""Pictures and terminal text for a view: SVG elements, charts, and a default board for games without their own."""
