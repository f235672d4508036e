"""The side panels of a running game: live updates over cut, offline and sleeping connections, with several players."""
