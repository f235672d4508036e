"""Pictures as PNG, for programs that cannot show SVG."""
