"""Constant matrices are stored in the order in which all kernels read them."""
from __future__ import annotations

from sampan import lite_runtime
from sampan.ir import Change, Graph


def pack_weights(graph: Graph) -> list[Change]:
    """Constants that only packable inputs read get `packed` bytes in canonical panels.

    The operator decides how (lite_runtime/core/op.h, panels). A constant that another input reads too, or that
    two operators would pack differently, stays plain: it is then packed when a session is made.
    """
    changes = []
    packable: dict[int, tuple] = {}
    for node in graph.nodes:
        for index, value in enumerate(node.inputs):
            if value is None or not value.is_constant or id(value) in packable or value.packed is not None:
                continue
            if len(value.users) != 1 or any(value is o for o in graph.outputs):
                continue
            packed = lite_runtime.pack_constant(node.op, node.attrs, index, value.data)
            if packed is None:
                continue
            value.packed = packed
            packable[id(value)] = (value,)
            changes.append(Change("pack_weights", f"{value.name} for {node.op} {node.name}",
                                  "nothing else reads it", tuple(node.sources)))
    return changes
