"""The public log of heads: a Merkle tree in tiles, signed checkpoints, and proofs of both. It knows neither store nor clock."""
