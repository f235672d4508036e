"""A store and its workers at a glance: what `oraclewheel top` shows, gathered anew each time."""
