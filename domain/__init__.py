"""The games and the kernel they share: pure rules, no clock, no disk, no network."""

RELEASE = "0.4.0.dev0"
"""The rules release that every commit names (it is the package's version)."""
