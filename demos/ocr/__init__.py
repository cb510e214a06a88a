"""Reading text from a photograph with PP-OCRv4; see `python -m demos.ocr --help`.

The networks run on whatever is given as an `Engine`; everything around them is numpy.
"""

from demos.engines import Engine
from demos.ocr.pipeline import Line, Reader, Result, Timing

__all__ = ["Engine", "Line", "Reader", "Result", "Timing"]
