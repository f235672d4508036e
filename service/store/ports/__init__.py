"""The interface of the store: the data types it takes and returns, its errors, and its protocols."""
