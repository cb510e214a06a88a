"""Image networks with random, calibrated weights, layer by layer as their papers give them."""

from __future__ import annotations

import numpy as np
import onnx

from tests.zoo.inputs import PHOTOS, image
from tests.zoo.net import Net, Tensor


def _start(name: str, fold: bool, seed: int, size: int = 128) -> Net:
    batch = np.concatenate([image(size, size, i) for i in range(len(PHOTOS))])
    return Net(name, batch, fold=fold, seed=seed)


def mobilenet_v1(fold: bool) -> onnx.ModelProto:
    """Width 1.0: a stem, then 13 depthwise-separable blocks."""
    net = _start("mobilenet_v1", fold, 1)
    x = net.relu6(net.conv(net.input, 32, 3, "stem", stride=2, padding=1), "stem")
    plan = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]
    for i, (channels, stride) in enumerate(plan):
        wide = x.value.shape[1]
        scope = f"block{i}"
        x = net.conv(x, wide, 3, f"{scope}.depthwise", stride=stride, padding=1, group=wide)
        x = net.relu6(x, f"{scope}.depthwise")
        x = net.relu6(net.conv(x, channels, 1, f"{scope}.pointwise"), f"{scope}.pointwise")
    x = net.flatten(net.global_pool(x, "pool"), "flatten")
    return net.finish(net.classifier(x, 1000, "classifier"), 224, 224)


def mobilenet_v2(fold: bool) -> onnx.ModelProto:
    """Width 1.0: inverted residuals with linear bottlenecks."""
    net = _start("mobilenet_v2", fold, 2)
    x = net.relu6(net.conv(net.input, 32, 3, "stem", stride=2, padding=1), "stem")
    plan = [
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ]
    for stage, (expand, channels, repeats, stride) in enumerate(plan):
        for i in range(repeats):
            scope = f"stage{stage}.{i}"
            x = _inverted_residual(net, x, expand, channels, stride if i == 0 else 1, scope)
    x = net.relu6(net.conv(x, 1280, 1, "head"), "head")
    x = net.flatten(net.global_pool(x, "pool"), "flatten")
    return net.finish(net.classifier(x, 1000, "classifier"), 224, 224)


def _inverted_residual(net: Net, x: Tensor, expand: int, channels: int, stride: int, scope: str) -> Tensor:
    start, y, wide = x, x, x.value.shape[1] * expand
    if expand > 1:
        y = net.relu6(net.conv(y, wide, 1, f"{scope}.expand"), f"{scope}.expand")
    y = net.conv(y, wide, 3, f"{scope}.depthwise", stride=stride, padding=1, group=wide)
    y = net.relu6(y, f"{scope}.depthwise")
    y = net.conv(y, channels, 1, f"{scope}.project")
    return net.add(y, start, scope) if y.value.shape == start.value.shape else y


# kernel, expanded channels, output channels, squeeze-and-excitation, hard-swish, stride
_V3_LARGE = [
    (3, 16, 16, False, False, 1),
    (3, 64, 24, False, False, 2),
    (3, 72, 24, False, False, 1),
    (5, 72, 40, True, False, 2),
    (5, 120, 40, True, False, 1),
    (5, 120, 40, True, False, 1),
    (3, 240, 80, False, True, 2),
    (3, 200, 80, False, True, 1),
    (3, 184, 80, False, True, 1),
    (3, 184, 80, False, True, 1),
    (3, 480, 112, True, True, 1),
    (3, 672, 112, True, True, 1),
    (5, 672, 160, True, True, 2),
    (5, 960, 160, True, True, 1),
    (5, 960, 160, True, True, 1),
]


def mobilenet_v3_large(fold: bool) -> onnx.ModelProto:
    """Width 1.0: inverted residuals with squeeze-and-excitation and hard-swish."""
    # Gates follow a few pooled numbers, which a smaller picture would not represent.
    net = _start("mobilenet_v3_large", fold, 3, size=224)
    x = net.hard_swish(net.conv(net.input, 16, 3, "stem", stride=2, padding=1), "stem")
    for i, (kernel, wide, channels, squeeze, swish, stride) in enumerate(_V3_LARGE):
        start, y, scope = x, x, f"block{i}"
        activate = net.hard_swish if swish else net.relu
        if wide != x.value.shape[1]:
            y = activate(net.conv(y, wide, 1, f"{scope}.expand"), f"{scope}.expand")
        y = net.conv(y, wide, kernel, f"{scope}.depthwise", stride=stride, padding=kernel // 2, group=wide)
        y = activate(y, f"{scope}.depthwise")
        if squeeze:
            y = _squeeze_excite(net, y, f"{scope}.se")
        y = net.conv(y, channels, 1, f"{scope}.project")
        x = net.add(y, start, scope) if y.value.shape == start.value.shape else y
    x = net.hard_swish(net.conv(x, 960, 1, "last"), "last")
    x = net.global_pool(x, "pool")
    x = net.hard_swish(net.conv(x, 1280, 1, "head", norm=False), "head")
    return net.finish(net.classifier(net.flatten(x, "flatten"), 1000, "classifier"), 224, 224)


def _squeeze_excite(net: Net, x: Tensor, scope: str) -> Tensor:
    quarter = x.value.shape[1] / 4
    narrow = max(8, int(quarter + 4) // 8 * 8)  # the nearest multiple of 8, at most 10 % below
    narrow += 8 if narrow < 0.9 * quarter else 0
    y = net.reduce_mean(x, scope)
    y = net.relu(net.conv(y, narrow, 1, f"{scope}.reduce", norm=False), f"{scope}.reduce")
    y = net.conv(y, x.value.shape[1], 1, f"{scope}.expand", norm=False)
    return net.multiply(x, net.hard_sigmoid(y, scope), scope)


def resnet18(fold: bool) -> onnx.ModelProto:
    return _resnet("resnet18", (2, 2, 2, 2), False, fold, 4)


def resnet50(fold: bool) -> onnx.ModelProto:
    return _resnet("resnet50", (3, 4, 6, 3), True, fold, 5)


def _resnet(name: str, depths: tuple[int, ...], bottleneck: bool, fold: bool, seed: int) -> onnx.ModelProto:
    net = _start(name, fold, seed)
    x = net.relu(net.conv(net.input, 64, 7, "stem", stride=2, padding=3), "stem")
    x = net.max_pool(x, "stem", padding=1, ceil=False)
    for stage, depth in enumerate(depths):
        for i in range(depth):
            stride = 2 if stage > 0 and i == 0 else 1
            x = _residual(net, x, 64 << stage, stride, bottleneck, f"layer{stage + 1}.{i}")
    x = net.flatten(net.global_pool(x, "pool"), "flatten")
    return net.finish(net.classifier(x, 1000, "fc"), 224, 224)


def _residual(net: Net, x: Tensor, width: int, stride: int, bottleneck: bool, scope: str) -> Tensor:
    shortcut, y = x, x
    if bottleneck:
        channels = 4 * width
        y = net.relu(net.conv(y, width, 1, f"{scope}.conv1"), f"{scope}.relu1")
        y = net.conv(y, width, 3, f"{scope}.conv2", stride=stride, padding=1)
        y = net.conv(net.relu(y, f"{scope}.relu2"), channels, 1, f"{scope}.conv3", gain=0.5)
    else:
        channels = width
        y = net.conv(y, width, 3, f"{scope}.conv1", stride=stride, padding=1)
        y = net.conv(net.relu(y, f"{scope}.relu1"), width, 3, f"{scope}.conv2", padding=1, gain=0.5)
    if stride != 1 or x.value.shape[1] != channels:
        shortcut = net.conv(x, channels, 1, f"{scope}.downsample", stride=stride)
    return net.relu(net.add(y, shortcut, scope), scope)


def squeezenet1_1(fold: bool) -> onnx.ModelProto:
    """Fire modules; it has no batch normalisation, so `fold` changes nothing."""
    net = _start("squeezenet1_1", fold, 6)
    x = net.relu(net.conv(net.input, 64, 3, "stem", stride=2, norm=False), "stem")
    plan = [(16, 64, True), (16, 64, False), (32, 128, True), (32, 128, False)]
    plan += [(48, 192, True), (48, 192, False), (64, 256, False), (64, 256, False)]
    for i, (squeeze, expand, pool) in enumerate(plan):
        scope = f"fire{i}"
        if pool:
            x = net.max_pool(x, scope, padding=0, ceil=True)
        x = net.relu(net.conv(x, squeeze, 1, f"{scope}.squeeze", norm=False), f"{scope}.squeeze")
        parts = [
            net.relu(net.conv(x, expand, 1, f"{scope}.expand1x1", norm=False), f"{scope}.expand1x1"),
            net.relu(
                net.conv(x, expand, 3, f"{scope}.expand3x3", padding=1, norm=False), f"{scope}.expand3x3"
            ),
        ]
        x = net.concat(parts, scope)
    x = net.relu(net.conv(x, 1000, 1, "classifier", norm=False), "classifier")
    return net.finish(net.flatten(net.global_pool(x, "pool"), "flatten"), 224, 224)
