"""Pictures with known text: several fonts, sizes, angles, colours and backgrounds, Chinese and English.

Everything is drawn from the tables below with seeded noise, so the same Pillow gives the same pictures.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from demos.assets import cache_dir, fetch, fetch_all

Colour = tuple[int, int, int]

FONTS = {
    "sans": "font_cjk_sans",
    "serif": "font_cjk_serif",
    "book": "font_source_serif",
    "slab": "font_caladea_bold",
    "round": "font_fredoka",
}
_BLACK: Colour = (0, 0, 0)
_WHITE: Colour = (255, 255, 255)


@dataclasses.dataclass(frozen=True)
class Row:
    """One line of text at (x, y) of its top left corner; ``size`` in pixels per em."""

    text: str
    x: int
    y: int
    font: str = "sans"
    size: int = 28
    colour: Colour = _BLACK


@dataclasses.dataclass(frozen=True)
class Page:
    """What to draw and what happens to the picture afterwards."""

    name: str
    size: tuple[int, int]  # width, height
    rows: tuple[Row, ...]
    background: Colour | str = _WHITE  # a colour, "gradient", or the name of a photograph
    angle: float = 0.0  # degrees counter-clockwise
    lean: float = 0.0  # share of the width by which the top edge is narrower
    noise: float = 0.0  # standard deviation in grey levels
    blur: float = 0.0

    @property
    def truth(self) -> list[str]:
        """The text, one entry a line."""
        return [row.text for row in self.rows]


def _block(
    text: str, x: int, y: int, step: int, font: str = "sans", size: int = 28, colour: Colour = _BLACK
) -> tuple[Row, ...]:
    return tuple(
        Row(line, x, y + step * i, font, size, colour) for i, line in enumerate(text.strip().splitlines())
    )


_ENGLISH = """
The lamp in the harbour office burned
until a quarter past four. Nobody knew
who had lit it, and nobody asked: in
winter, 27 ships had waited there for
the ice to break, and patience was a
habit like any other."""
_CHINESE = """
春天的早晨，河边的柳树刚刚发芽。
孩子们背着书包走过石桥，
卖豆浆的老人在桥头支起了炉子。
三月的风吹过田野，
远处传来火车的汽笛声。"""
_RECEIPT = """
城南书店 South Town Books
日期：2024-03-18 16:42
现代汉语词典 x1 109.00
Atlas of Rivers x2 86.50
合计 TOTAL 282.00
谢谢惠顾！"""
_NOTICE = """
请勿在此停车
NO PARKING
违者罚款二百元"""
_TABLE = """
Model Weight Price
KX-1200 3.4 kg $ 249
KX-1450 4.1 kg $ 315
KX-2000 5.9 kg $ 488"""

PAGES: tuple[Page, ...] = (
    Page("letter", (640, 330), _block(_ENGLISH, 40, 30, 45, "book", 30)),
    Page("poem", (620, 320), _block(_CHINESE, 36, 28, 54, "sans", 32)),
    Page("novel", (520, 260), _block(_CHINESE, 30, 24, 42, "serif", 21, (40, 30, 30)), (243, 236, 220)),
    Page("receipt", (460, 380), _block(_RECEIPT, 30, 28, 54, "sans", 26), (250, 250, 250), noise=6),
    Page("table", (520, 270), _block(_TABLE, 30, 30, 56, "slab", 30, (20, 20, 90)), (225, 235, 245)),
    Page("tilted", (680, 380), _block(_ENGLISH, 40, 40, 50, "slab", 30), angle=7),
    Page("slope", (640, 360), _block(_CHINESE, 40, 40, 56, "sans", 30, (120, 0, 30)), angle=-12),
    Page("upside", (620, 330), _block(_ENGLISH, 40, 30, 45, "book", 29), angle=180),
    Page("quarter", (460, 360), _block(_RECEIPT, 40, 24, 54, "sans", 27), angle=90),
    Page("night", (640, 320), _block(_CHINESE, 36, 28, 54, "serif", 31, (235, 235, 210)), (25, 30, 48), noise=10),
    Page("board", (640, 420), _block(_NOTICE, 90, 50, 110, "sans", 66, _WHITE), (20, 70, 150), lean=0.2),
    Page("postcard", (600, 400), (
        Row("Greetings from the coast", 60, 60, "round", 40, (255, 240, 120)),
        Row("NO PARKING", 60, 160, "round", 50, _WHITE),
        Row("咖啡与海", 60, 280, "sans", 54, _WHITE),
    ), "coffee"),
    Page("gradient", (700, 300), (
        Row("Sunrise 06:12", 50, 30, "round", 40, (10, 40, 60)),
        Row("日出时分", 50, 115, "serif", 40, (10, 40, 60)),
        Row("Tide table for Friday", 50, 200, "serif", 40, (90, 30, 60)),
    ), "gradient"),
    Page("sizes", (760, 420), (
        Row("HEADLINE", 40, 20, "sans", 84),
        Row("A subtitle of middling length", 44, 150, "book", 40),
        Row("第二章 城市与记忆", 44, 220, "serif", 48),
        Row("small print that is still legible, page 148", 44, 310, "book", 20),
        Row("脚注：本书图片均由作者提供", 44, 350, "sans", 18),
    )),
    Page("strip", (900, 60), _block("A single long line on a narrow strip of paper, 1 of 3", 20, 12, 40, "book", 32)),
    Page("poster", (2400, 1500), _block("WINTER CONCERT\n冬季音乐会\nSaturday 14 December 19:30\n市民中心大剧院",
         200, 160, 310, "sans", 150, (240, 240, 240)), (90, 20, 30)),
    Page("blurred", (640, 330), _block(_ENGLISH, 40, 30, 45, "sans", 28, (60, 60, 60)), (230, 230, 225), blur=0.9,
         noise=4),
)  # fmt: skip


def _font(name: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(fetch(FONTS[name])), size, layout_engine=ImageFont.Layout.BASIC)


def _canvas(page: Page) -> Image.Image:
    if page.background == "gradient":
        across = np.linspace(0, 1, page.size[0])[None, :, None]
        down = np.linspace(0, 1, page.size[1])[:, None, None]
        start, end = np.array([250, 180, 120.0]), np.array([150, 200, 240.0])
        mixed = start + (end - start) * (across + down) / 2
        return Image.fromarray(mixed.astype(np.uint8))
    if isinstance(page.background, str):
        photo = Image.open(fetch("photos") / f"{page.background}.png").convert("RGB")
        return photo.crop((0, 0, *page.size))
    return Image.new("RGB", page.size, page.background)


def _corner_colour(image: Image.Image) -> Colour:
    return tuple(int(v) for v in np.asarray(image)[0, 0])  # type: ignore[return-value]


def _leaned(image: Image.Image, lean: float) -> Image.Image:
    width, height = image.size
    inset = width * lean / 2
    # PIL asks where each output corner comes from; solve output -> input for a top edge drawn in by `inset`.
    target = [(inset, 0), (width - inset, 0), (width, height), (0, height)]
    source = [(0, 0), (width, 0), (width, height), (0, height)]
    system, right = [], []
    for (x, y), (u, v) in zip(target, source):
        system += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        right += [u, v]
    factors = np.linalg.solve(np.array(system, float), np.array(right, float))
    return image.transform(
        image.size,
        Image.Transform.PERSPECTIVE,
        factors.tolist(),
        Image.Resampling.BICUBIC,
        fillcolor=_corner_colour(image),
    )


def draw(page: Page) -> Image.Image:
    """The picture of ``page`` (RGB)."""
    image = _canvas(page)
    pen = ImageDraw.Draw(image)
    for row in page.rows:
        pen.text((row.x, row.y), row.text, row.colour, _font(row.font, row.size))
    if page.lean:
        image = _leaned(image, page.lean)
    if page.angle % 90:
        fill = _corner_colour(image)
        image = image.rotate(page.angle, Image.Resampling.BICUBIC, expand=True, fillcolor=fill)
    elif page.angle:
        image = image.rotate(page.angle, expand=True)
    if page.blur:
        image = image.filter(ImageFilter.GaussianBlur(page.blur))
    if page.noise:
        seed = sum(page.name.encode())
        grain = np.random.default_rng(seed).normal(0, page.noise, (image.height, image.width, 3))
        image = Image.fromarray((np.asarray(image) + grain).round().clip(0, 255).astype(np.uint8))
    return image


def draw_all(
    folder: Path | None = None, progress: Callable[[str], None] = lambda _: None
) -> dict[Path, list[str]]:
    """Write all pages as PNG to ``folder`` (default: the cache) and return their text by path."""
    folder = folder or cache_dir() / "rendered"
    folder.mkdir(parents=True, exist_ok=True)
    fetch_all([*FONTS.values(), "photos"])
    pages = {}
    for page in PAGES:
        path = folder / f"{page.name}.png"
        progress(f"drawing {page.name}")
        draw(page).save(path)
        pages[path] = page.truth
    return pages
