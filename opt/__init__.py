"""From a graph as a reader made it to a file the runtime is fast with."""
from .pipeline import Options, optimize

__all__ = ["Options", "optimize"]
