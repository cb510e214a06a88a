"""The graph IR: plain Python objects that converters fill, passes rewrite and the writer stores."""
from .graph import Change, Dim, Graph, Node, Quantization, Value
from .infer import constant_of, infer_graph, infer_node
from .verify import GraphError, verify

__all__ = ["Change", "Dim", "Graph", "GraphError", "Node", "Quantization", "Value", "constant_of", "infer_graph",
           "infer_node", "verify"]
