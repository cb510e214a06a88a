"""Sampan: runs trained neural networks on small devices, and prepares them on a host."""
