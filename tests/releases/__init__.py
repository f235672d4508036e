"""Tests of releases: update from the previous one, build, image, version numbers."""
