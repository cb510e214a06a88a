"""Naming what is in a photograph with EfficientNet-Lite0; see `python -m demos.classify --help`."""
