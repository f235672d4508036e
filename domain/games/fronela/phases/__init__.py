"""The phases of a turn, each with its rules (FRO-04 to FRO-20)."""
