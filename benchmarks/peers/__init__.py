"""`python -m benchmarks.peers`: latency, start-up and memory side by side with other edge runtimes.

The way of a model: suite.py (which models, which inputs) -> convert.py (one file per peer) ->
worker.py (one process per peer and thread count) <- measure.py (takes turns, checks outputs) -> report.py.
Each peer is one module in adapters/.
"""
