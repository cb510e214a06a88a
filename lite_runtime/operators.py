"""The operator library's definitions, and attributes checked against them."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

from . import _native
from .dtypes import CODES, NAMES
from .errors import InvalidArgument

INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1


@dataclass(frozen=True)
class InputInfo:
    """An input. same_type_as: index of the input whose dtype this one shares, or None."""

    name: str
    dtypes: tuple[str, ...]
    optional: bool
    variadic: bool
    shape_only: bool
    packable: bool
    same_type_as: int | None


@dataclass(frozen=True)
class OutputInfo:
    name: str
    optional: bool
    variadic: bool


@dataclass(frozen=True)
class AttrInfo:
    """An attribute. type: int, float, ints, floats, bool, enum or dtype. min, max: of an int and a list's elements
    (None: no limit). choices: of an enum."""

    name: str
    type: str
    default: Any
    min: int | None
    max: int | None
    choices: tuple[str, ...]
    doc: str


@dataclass(frozen=True)
class OperatorInfo:
    """An operator's definition. in_place: the input whose memory output 0 may take, or None. view: output 0 has the
    bytes of input 0. dynamic_output: output shapes depend on data."""

    name: str
    version: int
    doc: str
    inputs: tuple[InputInfo, ...]
    outputs: tuple[OutputInfo, ...]
    attrs: tuple[AttrInfo, ...]
    view: bool
    dynamic_output: bool
    in_place: int | None

    def attr(self, name: str) -> AttrInfo:
        for attr in self.attrs:
            if attr.name == name:
                return attr
        raise KeyError(name)


@lru_cache(maxsize=1)
def operators() -> Mapping[str, OperatorInfo]:
    """All operators of this build by name, in alphabetical order."""
    return MappingProxyType({d["name"]: _operator(d) for d in _native.operators()})


def operator(name: str) -> OperatorInfo:
    """One operator's definition; InvalidArgument with near names when there is none."""
    found = operators().get(name)
    if found is None:
        import difflib

        near = difflib.get_close_matches(name, operators(), 3)
        raise InvalidArgument(f"there is no operator {name!r} in this build"
                         + (f"; did you mean {' or '.join(near)}?" if near else ""))
    return found


def native_attrs(op: str, attrs: Mapping[str, Any]) -> list[Any]:
    """Values in the order of the definition, as the native module takes them: numbers and lists of numbers.

    Defaults are filled in, enums and dtypes become numbers. InvalidArgument (a ValueError) names operator, attribute
    and what is allowed.
    """
    info = operator(op)
    values = [_encode(info, attr, attrs[attr.name]) if attr.name in attrs else _encode(info, attr, attr.default)
              for attr in info.attrs]
    if len(attrs) > len(values) or any(name not in _names(op) for name in attrs):
        unknown = sorted(set(attrs) - _names(op))
        raise InvalidArgument(f"{op} has no attribute {', '.join(map(repr, unknown))}; it has "
                         f"{', '.join(a.name for a in info.attrs) or 'none'}")
    return values


@cache
def _names(op: str) -> frozenset[str]:
    return frozenset(a.name for a in operator(op).attrs)


def decode_attrs(op: str, values: Iterable[Any]) -> dict[str, Any]:
    """The reverse of native_attrs."""
    result = {}
    for attr, value in zip(operator(op).attrs, values):
        if attr.type == "enum" and 0 <= value < len(attr.choices):
            value = attr.choices[value]
        elif attr.type == "dtype":
            value = NAMES[value] if 0 <= value < len(NAMES) else value
        elif attr.type == "bool":
            value = bool(value)
        result[attr.name] = value
    return result


def _encode(info: OperatorInfo, attr: AttrInfo, value: Any) -> Any:
    try:
        return _ENCODERS[attr.type](attr, value)
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidArgument(f"{info.name}: attribute {attr.name!r} (type {attr.type}) cannot be {value!r}: {error}") from None


def _int(attr: AttrInfo, value: Any) -> int:
    number = value.__index__()
    low, high = INT64_MIN if attr.min is None else attr.min, INT64_MAX if attr.max is None else attr.max
    if not low <= number <= high:
        raise ValueError(f"expected {attr.min if attr.min is not None else ''}..{attr.max if attr.max is not None else ''}")
    return int(number)


def _int_checked(attr: AttrInfo, value: Any) -> int:
    if not hasattr(value, "__index__"):
        raise ValueError(f"expected an integer, got {type(value).__name__}")
    return _int(attr, value)


def _float(attr: AttrInfo, value: Any) -> float:
    if isinstance(value, str):
        raise ValueError("expected a number, got str")
    return float(value)


def _list(value: Any) -> list[Any]:
    if isinstance(value, str | bytes) or not hasattr(value, "__iter__"):
        raise ValueError(f"expected a list, got {type(value).__name__}")
    return list(value)


def _bool(attr: AttrInfo, value: Any) -> int:
    if value not in (0, 1):
        raise ValueError("expected True or False")
    return int(value)


def _enum(attr: AttrInfo, value: Any) -> int:
    if value not in attr.choices:
        raise ValueError(f"expected one of {', '.join(attr.choices)}")
    return attr.choices.index(value)


def _dtype(attr: AttrInfo, value: Any) -> int:
    if value == "invalid":
        return 0
    if str(value) not in CODES:
        raise ValueError(f"expected one of {', '.join(CODES)}")
    return CODES[str(value)]


_ENCODERS = {
    "int": _int_checked,
    "float": _float,
    "ints": lambda attr, value: [_int_checked(attr, v) for v in _list(value)],
    "floats": lambda attr, value: [_float(attr, v) for v in _list(value)],
    "bool": _bool,
    "enum": _enum,
    "dtype": _dtype,
}


def _operator(d: dict[str, Any]) -> OperatorInfo:
    return OperatorInfo(
        name=d["name"], version=d["version"], doc=d["doc"],
        inputs=tuple(InputInfo(**{**i, "dtypes": tuple(i["dtypes"])}) for i in d["inputs"]),
        outputs=tuple(OutputInfo(**o) for o in d["outputs"]),
        attrs=tuple(_attr(a) for a in d["attrs"]),
        view=d["view"], dynamic_output=d["dynamic_output"], in_place=d["in_place"])


def _attr(d: dict[str, Any]) -> AttrInfo:
    kind, default = d["type"], d["default"]
    choices = tuple(d["choices"].split("|")) if d["choices"] else ()
    if kind == "enum":
        default = choices[default]
    elif kind == "dtype":
        default = NAMES[default]
    elif kind == "bool":
        default = bool(default)
    limited = kind in ("int", "ints")
    return AttrInfo(d["name"], kind, default, d["min"] if limited and d["min"] > INT64_MIN else None,
                    d["max"] if limited and d["max"] < INT64_MAX else None, choices, d["doc"])
