"""The public log of heads: a Merkle tree in tiles, signed checkpoints, and their proofs. Uses no store and no clock."""
