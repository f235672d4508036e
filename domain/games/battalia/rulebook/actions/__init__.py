"""The actions of a turn: acquire, build, move, use artefacts."""
