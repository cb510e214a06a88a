"""Readers of other model formats. Each turns a source model into a `sampan.ir.Graph`; none imports another."""
from .errors import ConversionError, UnsupportedModel, UnsupportedNode

__all__ = ["ConversionError", "UnsupportedModel", "UnsupportedNode"]
