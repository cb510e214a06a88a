"""Constant."""
from __future__ import annotations

import numpy as np

from sampan.ir import Value

from .registry import NodeContext, importer

_FORMS = {"value_int": np.int64, "value_ints": np.int64, "value_float": np.float32, "value_floats": np.float32}


@importer("Constant")
def constant(ctx: NodeContext) -> Value:
    if ctx.has_attr("value"):
        return ctx.graph.add_constant(ctx.attr("value"), ctx.proto.output[0])
    for name, dtype in _FORMS.items():
        if ctx.has_attr(name):
            return ctx.graph.add_constant(np.asarray(ctx.attr(name), dtype), ctx.proto.output[0])
    return ctx.refuse("only numeric constants are supported")
