"""ONNX, opsets 7 to 25."""
from .reader import read

__all__ = ["read"]
