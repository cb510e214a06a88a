"""LSTM, GRU, RNN."""
from __future__ import annotations

import math
from typing import Any

from sampan.ir import Value

from .registry import NodeContext, importer

_FUNCTIONS = {"LSTM": 3, "GRU": 2, "RNN": 1}
# ONNX name (lower case) -> number of kernels/activation.h, default alpha, default beta.
_ACTIVATIONS = {
    "relu": (1, 0.0, math.inf), "leakyrelu": (2, 0.01, 0.0), "hardsigmoid": (4, 0.2, 0.5), "sigmoid": (5, 0.0, 0.0),
    "tanh": (7, 0.0, 0.0), "elu": (10, 1.0, 0.0), "softplus": (11, 0.0, 0.0),
}
_USES_ALPHA = {"leakyrelu", "hardsigmoid", "elu", "affine", "scaledtanh", "thresholdedrelu"}
_USES_BETA = {"hardsigmoid", "affine", "scaledtanh"}


def _activations(ctx: NodeContext, directions: int) -> dict[str, Any]:
    names = ctx.attr("activations")
    if names is None:
        return {}
    wanted = _FUNCTIONS[ctx.op_type] * directions
    if len(names) != wanted:
        ctx.refuse(f"activations has {len(names)} entries; {wanted} are needed")
    # ONNX lists alpha and beta only for the functions that have them, in order.
    alphas, betas = iter(ctx.attr("activation_alpha", [])), iter(ctx.attr("activation_beta", []))
    kinds, first, second = [], [], []
    for name in (n.lower() for n in names):
        if name not in _ACTIVATIONS:
            ctx.refuse(f"the activation {name!r} is not supported in recurrent cells")
        kind, alpha, beta = _ACTIVATIONS[name]
        kinds.append(kind)
        first.append(float(next(alphas, alpha)) if name in _USES_ALPHA else alpha)
        second.append(float(next(betas, beta)) if name in _USES_BETA else beta)
    return {"activations": kinds, "activation_alpha": first, "activation_beta": second}


@importer("LSTM", "GRU", "RNN")
def recurrent(ctx: NodeContext) -> list[Value | None]:
    x = ctx.require(0)
    direction = ctx.attr("direction", "forward")
    if direction not in ("forward", "reverse", "bidirectional"):
        ctx.refuse(f"direction is {direction!r}")
    attrs: dict[str, Any] = {"direction": direction, "batch_first": bool(ctx.attr("layout", 0)),
                             "clip": float(ctx.attr("clip", 0.0))}
    attrs |= _activations(ctx, 2 if direction == "bidirectional" else 1)
    if ctx.op_type == "LSTM":
        attrs["input_forget"] = bool(ctx.attr("input_forget", 0))
    if ctx.op_type == "GRU":
        attrs["linear_before_reset"] = bool(ctx.attr("linear_before_reset", 0))
    if x.dtype not in ("float32", "float16", "bfloat16"):
        ctx.refuse(f"recurrent layers of type {x.dtype} are not supported", "export the model in float32")
    inputs = [ctx.input(i) for i in range({"LSTM": 8}.get(ctx.op_type, 6))]
    # Half precision is computed in float32.
    inputs = [v if v is None or v.dtype in ("float32", "int32") else ctx.op("Cast", [v], {"to": "float32"})
              for v in inputs]
    count = 3 if ctx.op_type == "LSTM" else 2
    outputs = max((i + 1 for i in range(count) if ctx.wants_output(i)), default=1)
    results = ctx.op(ctx.op_type, inputs, attrs, num_outputs=outputs)
    results = [results] if outputs == 1 else list(results)
    if x.dtype != "float32":
        results = [ctx.op("Cast", [v], {"to": x.dtype}) for v in results]
    return results
