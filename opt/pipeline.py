"""The order of the passes."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sampan.ir import Change, Graph, infer_graph, verify

from .passes.fix_reshape_targets import fix_reshape_targets
from .passes.fold_affine import fold_affine
from .passes.fold_affine_forward import fold_affine_forward
from .passes.fold_batchnorm import fold_batchnorm
from .passes.fold_constants import fold_constants
from .passes.fold_pad import fold_pad
from .passes.fuse_activation import fuse_activation
from .passes.fuse_layer_norm import fuse_layer_norm
from .passes.fuse_matmul_transpose import fuse_matmul_transpose
from .passes.fuse_patterns import fuse_patterns
from .passes.fuse_residual import fuse_residual
from .passes.merge_common import merge_common
from .passes.pack_weights import pack_weights
from .passes.remove_dead_code import remove_dead_code
from .passes.simplify_arithmetic import simplify_arithmetic
from .passes.simplify_moves import simplify_moves
from .passes.sink_transposes import sink_transposes
from .passes.to_nhwc import to_nhwc

Pass = Callable[[Graph], list[Change]]

# Cleaning runs after each group: rewrites leave constants and nodes behind that nothing reads.
CLEAN: tuple[Pass, ...] = (simplify_moves, simplify_arithmetic, fold_constants, fix_reshape_targets, merge_common,
                           remove_dead_code)
FUSE: tuple[Pass, ...] = (fold_pad, fold_batchnorm, fuse_patterns, fuse_layer_norm, fold_affine,
                          fold_affine_forward, fuse_activation, fuse_residual, fuse_activation, fuse_matmul_transpose)
LAYOUT: tuple[Pass, ...] = (to_nhwc, sink_transposes)
MAX_ROUNDS = 8


@dataclass(frozen=True)
class Options:
    """skip: names of passes to leave out. check: verify the graph after every pass (slow; finds a pass's faults)."""

    skip: frozenset[str] = frozenset()
    check: bool = False
    pack: bool = True


def optimize(graph: Graph, options: Options = Options()) -> list[Change]:
    """Rewrites the graph in place into what the runtime runs fastest. Returns every change with its reason."""
    log: list[Change] = []

    def run(passes: tuple[Pass, ...]) -> int:
        before = len(log)
        for function in passes:
            if function.__name__ in options.skip:
                continue
            changes = function(graph)
            if changes and function.__name__ not in graph.passes:
                graph.passes.append(function.__name__)
            log.extend(changes)
            if options.check:
                verify(graph)
        return len(log) - before

    def settle(passes: tuple[Pass, ...]) -> None:
        for _ in range(MAX_ROUNDS):
            if not run(passes):
                return
            infer_graph(graph)  # what became constant may say more about the shapes below

    settle(CLEAN)
    settle(FUSE + CLEAN)
    run(LAYOUT)
    settle((sink_transposes, *CLEAN))
    settle(FUSE + CLEAN)
    if options.pack:
        run((pack_weights,))
    return log
