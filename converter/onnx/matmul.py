"""MatMul, Gemm, MatMulInteger."""
from __future__ import annotations

from sampan.ir import Value

from .registry import NodeContext, importer

_FLOATS = ("float32", "float16", "bfloat16", "float64")


@importer("MatMul")
def matmul(ctx: NodeContext) -> Value:
    return ctx.op("MatMul", [ctx.require(0), ctx.require(1)])


@importer("Gemm")
def gemm(ctx: NodeContext) -> Value:
    """alpha * a' b' + beta * c: c becomes the product's bias when it is a row, else it is added."""
    a, b, c = ctx.require(0), ctx.require(1), ctx.input(2)
    alpha, beta = float(ctx.attr("alpha", 1.0)), float(ctx.attr("beta", 1.0))
    if a.rank != 2 or b.rank != 2:
        ctx.refuse(f"Gemm multiplies matrices; the inputs have ranks {a.rank} and {b.rank}")
    if a.dtype not in _FLOATS and (alpha != 1.0 or beta not in (0.0, 1.0)):
        ctx.refuse("alpha and beta other than 1 need floating point elements")
    attrs = {"transpose_a": bool(ctx.attr("transA", 0)), "transpose_b": bool(ctx.attr("transB", 0))}
    if alpha != 1.0:
        attrs["alpha"] = alpha
    if c is None or beta == 0.0:
        return ctx.op("MatMul", [a, b], attrs)
    if beta != 1.0:
        factor = ctx.constant(beta, "float32")
        c = ctx.op("Mul", [c, factor if c.dtype == "float32" else ctx.op("Cast", [factor], {"to": c.dtype})])
    columns = b.shape[0 if attrs["transpose_b"] else 1]
    if c.rank == 1 and c.shape[0] == columns:
        return ctx.op("MatMul", [a, b, c], attrs)
    return ctx.op("Add", [ctx.op("MatMul", [a, b], attrs), c])


@importer("MatMulInteger")
def matmul_integer(ctx: NodeContext) -> Value:
    """Exact in int32: both sides less their zero points."""
    sides = []
    for side in range(2):
        x, zero = ctx.require(side), ctx.input(2 + side)
        wide = ctx.op("Cast", [x], {"to": "int32"})
        if zero is not None:
            zero = ctx.op("Cast", [zero], {"to": "int32"})
            if side == 0 and zero.rank == 1 and zero.shape[0] != 1:  # one for each row
                zero = ctx.op("Unsqueeze", [zero], {"axes": [1]})
            wide = ctx.op("Sub", [wide, zero])
        sides.append(wide)
    return ctx.op("MatMul", sides)
