"""Each pass does its rewrite, gives the same numbers, and leaves alone what it must not touch."""
from __future__ import annotations

import pytest

from sampan.opt.passes.fix_reshape_targets import fix_reshape_targets
from sampan.opt.passes.fold_affine import fold_affine
from sampan.opt.passes.fold_affine_forward import fold_affine_forward
from sampan.opt.passes.fold_batchnorm import fold_batchnorm
from sampan.opt.passes.fold_constants import fold_constants
from sampan.opt.passes.fold_pad import fold_pad
from sampan.opt.passes.fuse_activation import fuse_activation
from sampan.opt.passes.fuse_layer_norm import fuse_layer_norm
from sampan.opt.passes.fuse_matmul_transpose import fuse_matmul_transpose
from sampan.opt.passes.fuse_patterns import fuse_patterns
from sampan.opt.passes.fuse_residual import fuse_residual
from sampan.opt.passes.merge_common import merge_common
from sampan.opt.passes.remove_dead_code import remove_dead_code
from sampan.opt.passes.simplify_arithmetic import simplify_arithmetic
from sampan.opt.passes.simplify_moves import simplify_moves
from sampan.opt.passes.sink_transposes import sink_transposes
from sampan.opt.passes.to_nhwc import to_nhwc
from sampan.opt.pipeline import Options, optimize

from .graphs import Builder, check_same, ops


def norm(b: Builder, x, channels: int):
    return b("BatchNormalization", x, b.random(channels, low=0.5, high=1.5), b.random(channels), b.random(channels),
             b.random(channels, low=0.5, high=2.0))


def test_batchnorm_folds_into_convolution():
    b = Builder()
    x = b.input("x", 1, 3, 9, 11)
    graph = b.output(norm(b, b.conv(x, 8), 8))
    log = check_same(graph, [fold_batchnorm])
    assert ops(graph) == ["Conv"] and len(log) == 1 and log[0].reason


def test_batchnorm_folds_into_transposed_grouped_convolution():
    b = Builder()
    x = b.input("x", 1, 6, 5, 5)
    y = b("ConvTranspose", x, b.random(6, 4, 2, 2), None, strides=[2, 2], group=2)
    graph = b.output(norm(b, y, 8))
    check_same(graph, [fold_batchnorm])
    assert ops(graph) == ["ConvTranspose"]


def test_batchnorm_stays_when_the_convolution_is_read_twice():
    b = Builder()
    y = b.conv(b.input("x", 1, 3, 6, 6), 4)
    graph = b.output(norm(b, y, 4), b("Abs", y))
    check_same(graph, [fold_batchnorm])
    assert ops(graph) == ["Conv", "BatchNormalization", "Abs"]


def test_batchnorm_leaves_a_shared_weight_alone():
    b = Builder()
    x = b.input("x", 1, 3, 6, 6)
    w = b.random(3, 3, 1, 1)
    first = b("Conv", x, w)
    graph = b.output(b("Conv", norm(b, first, 3), w))
    check_same(graph, [fold_batchnorm])
    assert ops(graph) == ["Conv", "Conv"]
    assert graph.nodes[1].inputs[1].data is w.data


@pytest.mark.parametrize("op", ["Mul", "Add", "Sub", "Div"])
@pytest.mark.parametrize("shape", [(1,), (8, 1, 1), (1, 8, 1, 1), ()])
def test_channel_constants_fold(op, shape):
    b = Builder()
    y = b.conv(b.input("x", 1, 3, 6, 7), 8)
    graph = b.output(b(op, y, b.random(*shape, low=0.5, high=2.0)))
    check_same(graph, [fold_affine])
    assert ops(graph) == ["Conv"]


@pytest.mark.parametrize("shape", [(7,), (6, 7), (1, 8, 6, 7)])
def test_other_constants_do_not_fold(shape):
    b = Builder()
    y = b.conv(b.input("x", 1, 3, 6, 7), 8)
    graph = b.output(b("Mul", y, b.random(*shape)))
    check_same(graph, [fold_affine])
    assert ops(graph) == ["Conv", "Mul"]


def test_reversed_sub_does_not_fold():
    b = Builder()
    y = b.conv(b.input("x", 1, 3, 6, 7), 8)
    graph = b.output(b("Sub", b.random(8, 1, 1), y))
    check_same(graph, [fold_affine])
    assert ops(graph) == ["Conv", "Sub"]


def test_matmul_takes_bias_and_factor():
    b = Builder()
    y = b("MatMul", b.input("x", "n", 5, 16), b.random(16, 24))
    graph = b.output(b("Add", b("Mul", y, b.const(0.125)), b.random(24)))
    check_same(graph, [fold_affine], n=3)
    assert ops(graph) == ["MatMul"]


@pytest.mark.parametrize("shape", [(1,), (8, 1, 1)])
@pytest.mark.parametrize("group", [1, 2, 8])
def test_factors_fold_into_the_next_convolution(shape, group):
    b = Builder()
    y = b("Mul", b("Abs", b.input("x", 1, 8, 6, 7)), b.random(*shape))
    graph = b.output(b("Conv", y, b.random(16, 8 // group, 3, 3), pads=[1, 1, 1, 1], group=group))
    check_same(graph, [fold_affine_forward, remove_dead_code])
    assert ops(graph) == ["Abs", "Conv"]


@pytest.mark.parametrize("group", [1, 4])
def test_offsets_fold_into_the_next_convolution_only_without_padding(group):
    b = Builder()
    y = b("Add", b.random(8, 1, 1), b("Abs", b.input("x", 1, 8, 6, 7)))
    graph = b.output(b("Conv", y, b.random(16, 8 // group, 3, 3), b.random(16), group=group))
    check_same(graph, [fold_affine_forward, remove_dead_code])
    assert ops(graph) == ["Abs", "Conv"]
    b = Builder()
    y = b("Add", b.random(8, 1, 1), b("Abs", b.input("x", 1, 8, 6, 7)))
    graph = b.output(b("Conv", y, b.random(16, 8, 3, 3), pads=[1, 0, 0, 0]))
    check_same(graph, [fold_affine_forward, remove_dead_code])
    assert ops(graph) == ["Abs", "Add", "Conv"]


def test_factor_and_offset_fold_into_a_matrix_product():
    b = Builder()
    x = b.input("x", "n", 3, 8)
    y = b("Add", b("Mul", x, b.random(8)), b.random(8))
    graph = b.output(b("MatMul", y, b.random(8, 5)))
    check_same(graph, [fold_affine_forward, fold_affine_forward, remove_dead_code], n=2)
    assert ops(graph) == ["MatMul"]


def test_pad_goes_into_the_convolution():
    b = Builder()
    x = b.input("x", 1, 3, 6, 7)
    y = b("Pad", x, b.const([0, 0, 0, 1, 0, 0, 2, 1], "int64"))
    graph = b.output(b.conv(y, 4, strides=[2, 2]))
    check_same(graph, [fold_pad, remove_dead_code])
    assert ops(graph) == ["Conv"] and graph.nodes[0].attrs["pads"] == [1, 2, 3, 2]


@pytest.mark.parametrize("pads, value", [([0, 1, 0, 0, 0, 0, 0, 0], 0.0), ([0, 0, 1, 1, 0, 0, 1, 1], 1.0),
                                         ([0, 0, -1, 0, 0, 0, 0, 0], 0.0)])
def test_other_padding_stays(pads, value):
    b = Builder()
    y = b("Pad", b.input("x", 1, 3, 6, 7), b.const(pads, "int64"), b.const(value))
    graph = b.output(b("Conv", y, b.random(4, 4 if pads[1] else 3, 3, 3)))
    check_same(graph, [fold_pad, remove_dead_code])
    assert ops(graph) == ["Pad", "Conv"]


ACTIVATIONS = [("Clip", {"min": 0.0}), ("Clip", {"min": 0.0, "max": 6.0}), ("LeakyRelu", {"alpha": 0.1}), ("HardSwish", {}),
               ("HardSigmoid", {"alpha": 0.2, "beta": 0.5}), ("Sigmoid", {}), ("Silu", {}), ("Tanh", {}),
               ("Gelu", {"approximate": "none"}), ("Gelu", {"approximate": "tanh"}), ("Elu", {"alpha": 0.7}),
               ("Softplus", {}), ("Mish", {})]


@pytest.mark.parametrize("op, attrs", ACTIVATIONS)
def test_activations_fuse(op, attrs):
    b = Builder()
    graph = b.output(b(op, b.conv(b.input("x", 1, 3, 6, 7), 5), **attrs))
    check_same(graph, [fuse_activation])
    assert ops(graph) == ["Conv"]


def test_activation_stays_when_its_input_is_an_output():
    b = Builder()
    y = b.conv(b.input("x", 1, 3, 6, 7), 5)
    graph = b.output(b("Tanh", y), y)
    check_same(graph, [fuse_activation])
    assert ops(graph) == ["Conv", "Tanh"]


def test_residual_then_activation():
    b = Builder()
    x = b.input("x", 1, 8, 6, 7)
    graph = b.output(b("Tanh", b("Add", b.conv(x, 8), x)))
    check_same(graph, [fuse_residual, fuse_activation])
    assert ops(graph) == ["Conv"]


def test_residual_takes_the_later_of_two_convolutions():
    b = Builder()
    x = b.input("x", 1, 8, 6, 7)
    left, right = b.conv(x, 8), b.conv(x, 8, 1)
    graph = b.output(b("Add", left, right))
    check_same(graph, [fuse_residual])
    assert ops(graph) == ["Conv", "Conv"] and graph.nodes[1].input(3) is graph.nodes[0].output


def test_residual_needs_equal_shapes():
    b = Builder()
    x = b.input("x", 1, 8, 6, 7)
    graph = b.output(b("Add", b.conv(x, 8), b.input("s", 1, 8, 1, 1)))
    check_same(graph, [fuse_residual])
    assert ops(graph) == ["Conv", "Add"]


def hard_swish(b, x):
    return b("Div", b("Mul", x, b("Clip", b("Add", x, b.const(3.0)), min=0.0, max=6.0)), b.const(6.0))


def hard_swish_inner(b, x):
    return b("Mul", x, b("Div", b("Clip", b("Add", x, b.const(3.0)), min=0.0, max=6.0), b.const(6.0)))


def silu(b, x):
    return b("Mul", b("Sigmoid", x), x)


def gelu(b, x):
    erf = b("Add", b("Erf", b("Div", x, b.const(2 ** 0.5))), b.const(1.0))
    return b("Mul", b("Mul", x, erf), b.const(0.5))


def gelu_half_first(b, x):
    erf = b("Add", b("Erf", b("Mul", x, b.const(0.5 ** 0.5))), b.const(1.0))
    return b("Mul", b("Mul", x, b.const(0.5)), erf)


@pytest.mark.parametrize("pattern, op", [(hard_swish, "HardSwish"), (hard_swish_inner, "HardSwish"), (silu, "Silu"),
                                         (gelu, "Gelu"), (gelu_half_first, "Gelu")])
def test_patterns(pattern, op):
    b = Builder()
    graph = b.output(pattern(b, b.input("x", "n", 7)))
    log = check_same(graph, [fuse_patterns, remove_dead_code, fuse_patterns, remove_dead_code], n=5)
    assert ops(graph) == [op] and any(op in change.what for change in log)


@pytest.mark.parametrize("number", [2.0, 4.0])
def test_nearly_a_pattern_is_none(number):
    b = Builder()
    x = b.input("x", 2, 7)
    graph = b.output(b("Div", b("Mul", x, b("Clip", b("Add", x, b.const(number)), min=0.0, max=6.0)), b.const(6.0)))
    check_same(graph, [fuse_patterns, remove_dead_code])
    assert "HardSwish" not in ops(graph)


@pytest.mark.parametrize("square", ["Pow", "Mul"])
@pytest.mark.parametrize("with_bias", [True, False])
def test_layer_norm(square, with_bias):
    b = Builder()
    x = b.input("x", "n", 4, 12)
    mean = b("ReduceMean", x, axes=[-1], keepdims=True)
    centred = b("Sub", x, mean)
    squared = b("Pow", centred, b.const(2.0)) if square == "Pow" else b("Mul", centred, centred)
    variance = b("ReduceMean", squared, axes=[-1], keepdims=True)
    y = b("Mul", b("Div", centred, b("Sqrt", b("Add", variance, b.const(1e-5)))), b.random(12))
    graph = b.output(b("Add", y, b.random(12)) if with_bias else y)
    check_same(graph, [fuse_layer_norm, remove_dead_code], n=3)
    assert ops(graph) == ["LayerNormalization"]


def test_moves_cancel():
    b = Builder()
    x = b.input("x", 2, 3, 4)
    y = b("Transpose", b("Transpose", x, perm=[2, 0, 1]), perm=[1, 2, 0])
    y = b("Reshape", b("Reshape", y, b.const([6, 4], "int64")), b.const([2, 12], "int64"))
    graph = b.output(b("Abs", b("Identity", y)))
    check_same(graph, [simplify_moves, simplify_moves, remove_dead_code])
    assert ops(graph) == ["Reshape", "Abs"]


def test_identity_between_input_and_output_stays():
    b = Builder()
    graph = b.output(b("Identity", b.input("x", 2, 3)))
    check_same(graph, [simplify_moves])
    assert ops(graph) == ["Identity"]


@pytest.mark.parametrize("computed", [False, True])
def test_cancelled_moves_keep_the_names_of_inputs_and_outputs(computed):
    b = Builder()
    x = b.input("x", 2, 3, "h")
    y = b("Abs", x) if computed else x
    graph = b.output(b("Transpose", b("Transpose", y, perm=[1, 2, 0]), perm=[2, 0, 1]))
    if computed:
        graph = b.output(y)
    check_same(graph, [simplify_moves, remove_dead_code], h=4)
    assert ops(graph) == ["Abs", "Identity"][not computed:]
    assert not any(value is x for value in graph.outputs) and len({id(v) for v in graph.outputs}) == len(graph.outputs)


def test_common_subexpressions_merge():
    b = Builder()
    x = b.input("x", 2, 3)
    graph = b.output(b("Add", b("Mul", b("Exp", x), b.const(2.0)), b("Mul", b("Exp", x), b.const(2.0))))
    check_same(graph, [merge_common])
    assert ops(graph) == ["Exp", "Mul", "Add"]


def test_constants_and_shape_arithmetic_fold():
    b = Builder()
    x = b.input("x", "n", 3, 8)
    two = b("Add", b.const([1], "int64"), b.const([1], "int64"))
    channels = b("Gather", b("Shape", x), b.const([1], "int64"), axis=0)
    target = b("Concat", b.const([-1], "int64"), b("Mul", channels, two), b.const([4], "int64"), axis=0)
    graph = b.output(b("Reshape", x, target))
    check_same(graph, [fold_constants, remove_dead_code], n=2)
    assert ops(graph) == ["Reshape"]


def test_network_becomes_channels_last_between_two_transposes():
    b = Builder()
    x = b.input("x", 1, 3, "h", "w")
    y = b("Abs", b.conv(x, 8, strides=[2, 2]))
    y = b("Concat", y, b("Sigmoid", b.conv(y, 8, 1)), axis=1)
    y = b("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2])
    squeeze = b("HardSigmoid", b.conv(b("GlobalAveragePool", y), 16, 1))
    y = b("Mul", y, squeeze)
    graph = b.output(b("Mul", y, b.random(16, 1, 1)))
    check_same(graph, [to_nhwc, sink_transposes, simplify_moves, sink_transposes, simplify_moves, remove_dead_code],
               h=13, w=18)
    assert ops(graph).count("Transpose") == 2
    assert ops(graph)[0] == ops(graph)[-1] == "Transpose"


def test_whole_pipeline_checks_and_stays_right():
    b = Builder()
    x = b.input("x", 1, 3, "h", 16)
    y = hard_swish(b, norm(b, b.conv(x, 8, strides=[2, 2]), 8))
    y = b("Add", norm(b, b.conv(y, 8), 8), y)
    y = b("Reshape", b("GlobalAveragePool", y), b.const([0, -1], "int64"))
    graph = b.output(b("Softmax", b("MatMul", y, b.random(8, 5)), axis=-1))
    check_same(graph, [lambda g: optimize(g, Options(check=True))], h=10)
    assert ops(graph) == ["Transpose", "Conv", "Conv", "GlobalAveragePool", "Reshape", "MatMul", "Softmax"]
    assert graph.nodes[1].attrs["activation"] == "hard_swish"
    assert graph.nodes[2].input(3) is graph.nodes[1].output


@pytest.mark.parametrize("op, number, stays", [("Mul", 1.0, False), ("Div", 1.0, False), ("Add", 0.0, False),
                                               ("Sub", 0.0, False), ("Mul", 0.0, True), ("Add", 1.0, True)])
def test_neutral_operands(op, number, stays):
    b = Builder()
    graph = b.output(b("Abs", b(op, b.input("x", "n", 3), b.const([number]))))
    check_same(graph, [simplify_arithmetic], n=4)
    assert ops(graph) == ([op, "Abs"] if stays else ["Abs"])


def test_neutral_operand_that_broadcasts_stays():
    b = Builder()
    graph = b.output(b("Abs", b("Mul", b.input("x", 3), b.const([[1.0]]))))
    check_same(graph, [simplify_arithmetic])
    assert ops(graph) == ["Mul", "Abs"]


def test_reshape_target_from_dimensions_becomes_constant():
    b = Builder()
    x = b.input("x", "batch", "length", 12)
    shape = b("Shape", x)
    dims = [b("Gather", shape, b.const([i], "int64"), axis=0) for i in (0, 1)]
    target = b("Concat", *dims, b.const([3], "int64"), b.const([4], "int64"), axis=0)
    graph = b.output(b("Reshape", x, target))
    check_same(graph, [fix_reshape_targets, remove_dead_code], batch=2, length=5)
    assert ops(graph) == ["Reshape"]


def test_reshape_that_needs_two_unknown_sizes_keeps_its_target():
    b = Builder()
    x = b.input("x", "batch", "length", 12)
    shape = b("Shape", x)
    dims = [b("Gather", shape, b.const([i], "int64"), axis=0) for i in (1, 0)]
    graph = b.output(b("Reshape", x, b("Concat", *dims, b.const([12], "int64"), axis=0)))
    check_same(graph, [fix_reshape_targets, remove_dead_code], batch=2, length=5)
    assert "Shape" in ops(graph)


def test_transpose_goes_into_the_matrix_product():
    b = Builder()
    x, y = b.input("x", "n", 3, 4, 6), b.input("y", "n", 3, 5, 6)
    graph = b.output(b("MatMul", x, b("Transpose", y, perm=[0, 1, 3, 2])))
    check_same(graph, [fuse_matmul_transpose, remove_dead_code], n=2)
    assert ops(graph) == ["MatMul"]


def test_transposes_sink_below_a_squeeze():
    b = Builder()
    y = b.conv(b.input("x", 2, 3, 3, 7), 5, pads=[0, 1, 0, 1])
    graph = b.output(b("Transpose", b("Squeeze", y, axes=[2]), perm=[0, 2, 1]))
    check_same(graph, [to_nhwc, sink_transposes, simplify_moves, remove_dead_code])
    assert ops(graph) == ["Transpose", "Conv", "Squeeze"]


def test_squares_are_products():
    b = Builder()
    graph = b.output(b("Abs", b("Pow", b.input("x", 3, "n"), b.const(2.0))))
    check_same(graph, [simplify_arithmetic], rtol=0, n=5)
    assert ops(graph) == ["Mul", "Abs"]


def test_other_powers_stay():
    b = Builder()
    x = b("Abs", b.input("x", 3))
    graph = b.output(b("Abs", b("Pow", x, b.const(3.0))), b("Abs", b("Pow", x, b.const([[2.0]]))))
    check_same(graph, [simplify_arithmetic])
    assert ops(graph).count("Pow") == 2
