"""Passes and tools that turn a graph as it was read into a plan for a device."""
