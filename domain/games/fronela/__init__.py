"""History of Fronela: 25 nations of four colours through seventeen rounds (docs/rules/fronela.md)."""
