"""History of Fronela: 25 nations of four colors through seventeen rounds (docs/rules/fronela.md)."""
