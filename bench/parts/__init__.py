"""The benchmarks, a file for each part; each has `measure()`, which measures every row of the part once."""

PARTS = (
    "rules",
    "audits",
    "log",
    "http",
    "peers",
    "cost",
    "streams",
    "workers",
    "lists",
    "standings",
    "profiles",
    "archive",
    "words",
    "web",
    "fairness",
)
