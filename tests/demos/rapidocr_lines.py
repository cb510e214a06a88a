"""Runs inside the reference's own environment: pictures in, the lines rapidocr-onnxruntime reads as JSON out."""

import json
import sys

from PIL import Image
from rapidocr_onnxruntime import RapidOCR  # type: ignore[import-not-found]

reader = RapidOCR()
for path in sys.argv[1:]:
    # The picture is decoded as the demo decodes it, so that only the readers differ.
    lines, _ = reader(Image.open(path).convert("RGB"))
    found = [{"text": text, "confidence": score, "box": box} for box, text, score in lines or []]
    print(json.dumps({"photo": path, "lines": found}), flush=True)
