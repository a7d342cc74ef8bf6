"""States as users write them: nested as in a state file, or flat by name."""

from __future__ import annotations

import difflib
import json
import math
import numbers
from collections.abc import Mapping
from typing import Any, Dict, List, Optional, Sequence, Union

import numpy as np

from .errors import ModelError

__all__ = ["State", "StateLike"]

SECTIONS = ("q", "u", "guess", "parameters", "inputs")
StateLike = Union[None, Mapping]


class State:
    """What a controller sees: the time, the coordinates and speeds (arrays, in the order of the model), and all by name."""

    __slots__ = ("t", "q", "u", "inputs", "_places")

    def __init__(self, t, q, u, inputs, places):
        self.t, self.q, self.u, self.inputs, self._places = t, q, u, inputs, places

    def __getitem__(self, name: str) -> float:
        if name == "t":
            return self.t
        try:
            part, place = self._places[name]
        except KeyError:
            raise KeyError(f"the state has no '{name}'{suggestion(name, self._places)}") from None
        return float(getattr(self, part)[place])


def suggestion(name: str, known) -> str:
    """Ends a sentence about an unknown name."""
    close = difflib.get_close_matches(str(name), [str(k) for k in known], 1)
    return f" (did you mean '{close[0]}'?)" if close else ""


def plain(value: Any, name: str) -> Any:
    """A number, or a text with a unit, as JSON can hold it."""
    if isinstance(value, (str, bool)):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    try:
        if np.iscomplexobj(value):  # NumPy would give the real part
            raise TypeError
        number = float(value)
    except (TypeError, ValueError):
        raise ModelError(f"state: the value of '{name}' is {value!r}, which is not a number") from None
    if not math.isfinite(number):
        raise ModelError(f"state: the value of '{name}' is {number}, which is not finite")
    return number


def section_of(name: str, info: Mapping) -> str:
    for section, key in (("q", "coordinates"), ("u", "speeds"), ("inputs", "inputs"), ("parameters", "parameters")):
        if name in info[key]:
            return section
    known = [*info["coordinates"], *info["speeds"], *info["inputs"], *info["parameters"], "t", "active", "guess"]
    raise ModelError(f"state: '{info['name']}' has no '{name}'{suggestion(name, known)}")


def state_dict(info: Mapping, state: StateLike, names: Mapping) -> Dict[str, Any]:
    result: Dict[str, Any] = {}
    if state is not None and not isinstance(state, Mapping):
        raise ModelError(f"state: a dict of names and values is needed, not {type(state).__name__}")
    for source in (state or {}), names:
        for key, value in source.items():
            if not isinstance(key, str):
                raise ModelError(f"state: {key!r} is not a name")
            if key in SECTIONS and isinstance(value, Mapping):
                part = result.setdefault(key, {})
                for name, number in value.items():
                    if not isinstance(name, str):
                        raise ModelError(f"state: {name!r} is not a name")
                    part[name] = ([plain(v, name) for v in number] if isinstance(number, (list, tuple)) else
                                  plain(number, name))
            elif key == "active" and not isinstance(value, (str, numbers.Number)):
                result[key] = [str(v) for v in value]
            elif key == "t" and "t" not in info["coordinates"]:
                result[key] = plain(value, key)
            else:
                result.setdefault(section_of(key, info), {})[key] = plain(value, key)
    return result


def state_text(info: Mapping, state: StateLike = None, names: Optional[Mapping] = None) -> str:
    return json.dumps(state_dict(info, state, names or {}), allow_nan=False)


def states_text(info: Mapping, states: Sequence[StateLike]) -> str:
    return json.dumps([state_dict(info, state, {}) for state in states], allow_nan=False)


def settings(pairs: Union[None, Mapping, Sequence[str]]) -> List[str]:
    """``{"m": 2, "L": "30 cm"}`` as the command line writes it."""
    if pairs is None:
        return []
    if isinstance(pairs, Mapping):
        return [f"{name}={value if isinstance(value, str) else repr(plain(value, name))}" for name, value in pairs.items()]
    if isinstance(pairs, str):
        return [pairs]
    return [str(pair) for pair in pairs]
