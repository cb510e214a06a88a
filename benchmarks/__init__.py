"""Measurements against other runtimes; Linux only."""
