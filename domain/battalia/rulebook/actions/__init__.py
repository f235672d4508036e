"""What a player may do in a turn: acquire, build, march, use artefacts."""
