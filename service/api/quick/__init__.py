"""Short ways for the requests that everybody sends all the time; all that is not as usual in them goes the ordinary way."""
