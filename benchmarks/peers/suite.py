"""What is measured: models of the zoo at fixed shapes."""

from __future__ import annotations

# Name in the tables -> (model of the zoo, the sizes left open by it).
SUITE: dict[str, tuple[str, dict[str, int]]] = {
    "mobilenet_v1": ("mobilenet_v1", {}),
    "mobilenet_v2": ("mobilenet_v2", {}),
    "mobilenet_v3_large": ("mobilenet_v3_large", {}),
    "efficientnet_lite0": ("efficientnet_lite0", {}),
    "squeezenet1_1": ("squeezenet1_1", {}),
    "resnet18": ("resnet18", {}),
    "resnet50": ("resnet50", {}),
    "yolov8n_320": ("nudenet_320n", {"height": 320, "width": 320}),
    "ppocr4_det_640": ("ppocr4_det", {"height": 640, "width": 640}),
    "ppocr4_rec_320": ("ppocr4_rec", {"width": 320}),
    "ppocr2_cls": ("ppocr2_cls", {}),
    "minilm_l6_128": ("minilm_l6", {"length": 128}),
    "magika": ("magika", {}),
    "basic_pitch": ("basic_pitch", {}),
    "silero_vad": ("silero_vad_openvino_16k", {}),
}
