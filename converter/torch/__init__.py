"""PyTorch files, read without PyTorch."""
