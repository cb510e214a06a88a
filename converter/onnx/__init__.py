"""ONNX, opsets 7 to 27."""
from .reader import read

__all__ = ["read"]
