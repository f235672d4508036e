"""Deliveries to subscriptions: drains the outbox, with a module for each kind of delivery."""
