"""Dividing the games of a store among another number of partitions."""
