"""History in words: what cards, figures and battles are called, a sentence for each event, and what a paragraph tells."""
