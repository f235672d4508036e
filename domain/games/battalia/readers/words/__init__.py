"""History in words: names, a sentence for each event, and condensed paragraphs."""
