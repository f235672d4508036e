"""Notifications: which subscriptions a game notifies, and what each may see. Features deliver them."""
