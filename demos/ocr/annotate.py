"""The annotated picture: boxes on the photograph, and beside it the text where it was read."""

from __future__ import annotations

import colorsys
import math
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont

from demos.assets import FetchError, fetch
from demos.ocr.pipeline import Line

_GOLDEN = 0.618034  # hues a golden section apart stay distinct however many there are


def _colour(number: int) -> tuple[int, int, int]:
    red, green, blue = colorsys.hsv_to_rgb(number * _GOLDEN % 1, 0.85, 0.75)
    return int(red * 255), int(green * 255), int(blue * 255)


def find_font(texts: Sequence[str], *, progress: bool = True) -> bytes | str | None:
    """A font for ``texts``: a file's path, "" for Pillow's own, None when none has the characters.

    Beyond Latin letters a Chinese font is fetched, 27 MB the first time.
    """
    if all(ord(character) < 0x180 for text in texts for character in text):
        return ""
    try:
        return str(fetch("font_cjk_sans", progress=progress))
    except FetchError:
        return None


def _sized(font: bytes | str, size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.truetype(font, size) if font else ImageFont.load_default(size)


def _lettering(text: str, font: bytes | str, width: float, height: float) -> Image.Image:
    """Black ``text`` on transparent ground, as large as fits into ``width`` x ``height`` pixels."""
    size = max(6, int(height * 0.75))
    left, top, right, bottom = _sized(font, size).getbbox(text)
    if right - left > width:
        size = max(6, int(size * width / (right - left)))
        left, top, right, bottom = _sized(font, size).getbbox(text)
    layer = Image.new("RGBA", (math.ceil(right - left) + 2, math.ceil(bottom - top) + 2))
    ImageDraw.Draw(layer).text((1 - left, 1 - top), text, fill=(0, 0, 0, 255), font=_sized(font, size))
    return layer


def annotate(photo: Image.Image, lines: Sequence[Line], *, progress: bool = True) -> Image.Image:
    """``photo`` with boxes on the left, the text in the same places on the right (numbers when there is no font)."""
    photo = photo.convert("RGB")
    font = find_font([line.text for line in lines], progress=progress)
    page = Image.new("RGB", photo.size, "white")
    stroke = max(1, round(max(photo.size) / 600))
    pens = ImageDraw.Draw(photo), ImageDraw.Draw(page)
    for number, line in enumerate(lines, 1):
        corners = [(float(x), float(y)) for x, y in line.box]
        for pen in pens:
            pen.line([*corners, corners[0]], fill=_colour(number), width=stroke)
        width, height = math.dist(corners[0], corners[1]), math.dist(corners[0], corners[3])
        angle = math.atan2(corners[1][1] - corners[0][1], corners[1][0] - corners[0][0])
        if height >= 1.5 * width:  # such boxes were read turned by a quarter
            width, height, angle = height, width, angle + math.pi / 2
        text, face = (line.text, font) if font is not None else (str(number), "")
        layer = _lettering(text, face, width, height)
        turned = layer.rotate(-math.degrees(angle) + line.direction, Image.Resampling.BICUBIC, expand=True)
        middle_x, middle_y = (sum(values) / 4 for values in zip(*corners))
        page.paste(turned, (round(middle_x - turned.width / 2), round(middle_y - turned.height / 2)), turned)
    both = Image.new("RGB", (photo.width * 2, photo.height), "white")
    both.paste(photo, (0, 0))
    both.paste(page, (photo.width, 0))
    return both
