"""Webhooks: allowed addresses, signatures, formats, and the request that delivers a notification."""
