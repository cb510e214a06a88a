"""What is measured: models of the zoo, at fixed shapes, and one whose shape changes with every run."""

from __future__ import annotations

from typing import Any

# Name in the tables -> (model of the zoo, sizes of what it leaves open). With several sizes the peers get the
# model with free shapes, and a timed pass runs each of them once.
SUITE: dict[str, tuple[Any, ...]] = {
    "mobilenet_v1": ("mobilenet_v1", {}),
    "mobilenet_v2": ("mobilenet_v2", {}),
    "mobilenet_v3_large": ("mobilenet_v3_large", {}),
    "efficientnet_lite0": ("efficientnet_lite0", {}),
    "squeezenet1_1": ("squeezenet1_1", {}),
    "resnet18": ("resnet18", {}),
    "resnet50": ("resnet50", {}),
    "yolov8n_320": ("nudenet_320n", {"height": 320, "width": 320}),
    "ppocr4_det_640": ("ppocr4_det", {"height": 640, "width": 640}),
    "ppocr4_det_dynamic": (
        "ppocr4_det",
        {"height": 480, "width": 640},
        {"height": 640, "width": 480},
        {"height": 320, "width": 736},
        {"height": 544, "width": 544},
    ),
    "ppocr4_rec_320": ("ppocr4_rec", {"width": 320}),
    "ppocr2_cls": ("ppocr2_cls", {}),
    "minilm_l6_128": ("minilm_l6", {"length": 128}),
    "magika": ("magika", {}),
    "basic_pitch": ("basic_pitch", {}),
    "silero_vad": ("silero_vad_openvino_16k", {}),
}
