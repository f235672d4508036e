"""Copies data into local files: from files, by snapshot at one moment, and merged from several servers."""
