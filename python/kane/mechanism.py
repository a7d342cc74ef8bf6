"""Mechanisms described in Python, with the keywords of the model file.

>>> import kane
>>> m = kane.Mechanism("pendulum", gravity="-g*N.y")
>>> l, g, mass = m.parameter("l", 0.5, "m"), m.parameter("g", 9.81, "m/s^2"), m.parameter("m", 2, "kg")
>>> rod = m.body("rod", mass=mass, com=[0, -l/2, 0], inertia=[0, 0, mass*l**2/12])
>>> pin = m.revolute("pin", m.ground, rod, axis="z", coordinate="q", speed="w")
>>> model = m.model()
>>> model.evaluate(q=1.5707963267948966).udot
array([-29.43])
"""

from __future__ import annotations

import json
import numbers
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from . import _kane
from .errors import ModelError
from .model import Model, _reading_options
from .states import suggestion

__all__ = ["Mechanism", "Part"]

_HERE = str(Path(__file__).resolve().parent)
_MAPS = ("parameters", "inputs", "tables", "let", "bodies", "particles", "points", "frames", "joints", "dh", "loads",
         "constraints", "contacts", "friction", "events", "modes", "handle", "states", "auxiliary", "outputs", "initial",
         "guess", "simulate")
_SINGLE = ("name", "description", "include", "ground", "gravity", "coordinates", "extra_coordinates", "speeds", "equations",
           "dependent", "repeat")


class Part(str):
    """A part. It can be used wherever its name can; ``body.point("tip", [1, 0, 0])`` adds a point to a body."""

    _mechanism: "Mechanism"
    kind: str

    def point(self, name: str, at: Any) -> "Part":
        """A named point of this body."""
        m = self._mechanism
        if self.kind != "body":
            raise TypeError(f"'{self}' is not a body")
        part = m._parts["bodies"][str(self)][0]
        part.setdefault("points", {})[name] = m._value(at)
        return m._part(f"{self}.{name}", "point")


def _place() -> Tuple[str, int]:
    """The place in the user's program that made the call."""
    frame = sys._getframe(1)
    while frame.f_back is not None and str(Path(frame.f_code.co_filename).resolve().parent) == _HERE:
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


class Mechanism:
    """Bodies, joints, loads, constraints, contacts, described in Python. Keywords are the keys of the model file, values are numbers,
    strings with units ("30 deg", "2*L"), Kane's expressions, or lists and dicts of these. Mistakes are reported with the line of
    the program that made them. :meth:`model` derives and compiles."""

    def __init__(self, name: str = "mechanism", **sections: Any) -> None:
        self._single: Dict[str, Tuple[Any, Tuple[str, int]]] = {"name": (str(name), _place())}
        self._parts: Dict[str, Dict[str, Tuple[Any, Tuple[str, int]]]] = {}
        self.section(**sections)

    @property
    def name(self) -> str:
        return self._single["name"][0]

    @property
    def ground(self) -> Part:
        """The body that does not move."""
        return self._part(self._single.get("ground", ("N",))[0], "body")

    def _part(self, name: str, kind: str) -> Part:
        part = Part(name)
        part._mechanism, part.kind = self, kind
        return part

    def _value(self, value: Any) -> Any:
        if value is None or isinstance(value, (bool, str)):
            return str(value) if isinstance(value, str) else value
        if isinstance(value, _kane.Expr):
            return value.infix()
        if isinstance(value, numbers.Integral):
            return int(value)
        if isinstance(value, (numbers.Real, np.floating)):
            if not np.isfinite(value):
                raise ModelError(f"a mechanism cannot contain the number {value}", *_place())
            return float(value)
        if isinstance(value, Mapping):
            return {str(k): self._value(v) for k, v in value.items()}
        if isinstance(value, (list, tuple, np.ndarray)):
            return [self._value(v) for v in value]
        raise ModelError(f"{value!r} cannot be part of a mechanism: numbers, texts, expressions, lists and dicts can", *_place())

    def _add(self, section: str, name: str, value: Any) -> None:
        if not isinstance(name, str) or not name:
            raise ModelError(f"a part of '{section}' needs a name, not {name!r}", *_place())
        parts = self._parts.setdefault(section, {})
        if name in parts and section not in ("initial", "guess", "simulate"):
            raise ModelError(f"'{name}' is among the {section} already", *_place())
        parts[str(name)] = self._value(value), _place()

    # ---- symbols -----------------------------------------------------------------------------------------------------
    def parameter(self, name: str, value: Any, unit: str = "") -> Any:
        """A constant; returns its symbol."""
        if unit and isinstance(value, (numbers.Real, np.floating)):
            value = f"{self._value(value)!r} {unit}"
        elif unit:
            raise ModelError(f"the unit of '{name}' belongs into its value: '{value} {unit}'", *_place())
        self._add("parameters", name, value)
        return _kane.symbol(name)

    def input(self, name: str, value: Any = 0, unit: str = "") -> Any:
        """A quantity given from outside, or by a law of the state; returns its symbol."""
        if unit and isinstance(value, (numbers.Real, np.floating)):
            value = f"{self._value(value)!r} {unit}"
        self._add("inputs", name, value)
        return _kane.symbol(name)

    def let(self, name: str, value: Any) -> Any:
        """A named expression, for use in other expressions."""
        self._add("let", name, value)
        return _kane.symbol(name)

    def table(self, name: str, **keys: Any) -> None:
        """A function of one variable given by points, used as name(x)."""
        self._add("tables", name, keys)

    # ---- parts ---------------------------------------------------------------------------------------------------------
    def body(self, name: str, **keys: Any) -> Part:
        """A rigid body: mass, com, inertia, shape, points, ...; massless without keywords."""
        self._add("bodies", name, keys)
        return self._part(name, "body")

    def particle(self, name: str, **keys: Any) -> Part:
        """A point mass on a body: mass, on, at."""
        self._add("particles", name, keys)
        return self._part(name, "point")

    def point(self, name: str, **keys: Any) -> Part:
        """A named point: on, at."""
        self._add("points", name, keys)
        return self._part(name, "point")

    def frame(self, name: str, **keys: Any) -> Part:
        """A named frame: on, at, orientation."""
        self._add("frames", name, keys)
        return self._part(name, "frame")

    def joint(self, name: str, type: str, parent: Any, child: Any, **keys: Any) -> Part:
        """A joint of any type; parent first, then child."""
        self._add("joints", name, {"type": type, "parent": self.ground if parent is None else parent, "child": child, **keys})
        return self._part(name, "joint")

    def load(self, name: Optional[str] = None, **keys: Any) -> Part:
        """A force, torque, spring or damper: force, torque, spring, damper, at, on, axis, joint, reaction, ..."""
        if name is None:
            name = f"load{len(self._parts.get('loads', {})) + 1}"
        self._add("loads", name, keys)
        return self._part(name, "load")

    def constraint(self, name: str, **keys: Any) -> Part:
        """A constraint: expression, motion, point, reference, directions, active, ..."""
        self._add("constraints", name, keys)
        return self._part(name, "constraint")

    def contact(self, name: str, **keys: Any) -> Part:
        """A contact: parts that cannot penetrate each other."""
        self._add("contacts", name, keys)
        return self._part(name, "contact")

    def friction(self, name: str, **keys: Any) -> Part:
        """Dry friction."""
        self._add("friction", name, keys)
        return self._part(name, "friction")

    def event(self, name: str, **keys: Any) -> Part:
        """An event that happens when a condition crosses zero."""
        self._add("events", name, keys)
        return self._part(name, "event")

    def mode(self, name: str, **keys: Any) -> Part:
        """A named set of active constraints."""
        self._add("modes", name, keys)
        return self._part(name, "mode")

    def state(self, name: str, value: Any) -> Any:
        """A variable with a differential equation of its own; returns its symbol."""
        self._add("states", name, value)
        return _kane.symbol(name)

    def auxiliary(self, name: str, value: Any) -> Part:
        """A speed that is always zero and brings a constraint force into evidence."""
        self._add("auxiliary", name, value)
        return self._part(name, "auxiliary")

    def output(self, name: str, value: Any) -> Part:
        """A quantity to report."""
        self._add("outputs", name, value)
        return self._part(name, "output")

    def initial(self, **values: Any) -> None:
        """Initial values of coordinates and speeds."""
        for name, value in values.items():
            self._add("initial", name, value)

    def guess(self, **values: Any) -> None:
        """Starting values of assembly for coordinates that loops determine."""
        for name, value in values.items():
            self._add("guess", name, value)

    def settings(self, **values: Any) -> None:
        """Default settings of a simulation: until, tolerance, method, ..."""
        for name, value in values.items():
            self._add("simulate", name, value)

    def section(self, **sections: Any) -> None:
        """Any other section of the model file: gravity, speeds, dependent, description, ... A section of named parts adds
        to them."""
        for key, value in sections.items():
            if key in _SINGLE:
                self._single[key] = self._value(value), _place()
            elif key in _MAPS and isinstance(value, Mapping):
                for name, part in value.items():
                    self._add(key, name, part)
            else:
                known = (*_SINGLE, *_MAPS)
                raise ModelError(f"a model has no section '{key}'{suggestion(key, known)}" if key not in known else
                                 f"the section '{key}' is a dict of parts", *_place())

    # ---- result --------------------------------------------------------------------------------------------------------
    def _text(self) -> Tuple[str, List[Tuple[str, int]]]:
        """The model file, one part per line, and the place in the program that each line comes from."""
        lines, places = ["{"], [self._single["name"][1]]

        def add(line: str, place: Tuple[str, int]) -> None:
            lines.append(line)
            places.append(place)
        add('"kane": 1,', places[0])
        for key, (value, place) in self._single.items():
            add(f"{json.dumps(key)}: {json.dumps(value)},", place)
        for key, parts in self._parts.items():
            if not parts:
                continue
            first = next(iter(parts.values()))[1]
            add(f"{json.dumps(key)}: {{", first)
            for name, (value, place) in parts.items():
                add(f"{json.dumps(name)}: {json.dumps(value)},", place)
            add("},", first)
        lines.append("}")
        places.append(places[0])
        return "\n".join(lines) + "\n", places

    def model(self, **options: Any) -> Model:
        """Derives and compiles; options as for :func:`kane.load`."""
        text, places = self._text()
        file = f"{self.name}.yaml"
        try:
            given = _reading_options(options)
            return Model(_kane.read_text(text, file, given), given)
        except ModelError as error:
            if error.file == file and error.line is not None and error.line <= len(places):
                raise type(error)(error.message, *places[error.line - 1]) from None
            raise

    def to_yaml(self) -> str:
        """The equivalent model file."""
        return self.model().to_yaml()

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(parts)} {key}" for key, parts in self._parts.items())
        return f"<Mechanism {self.name}: {counts}>"


def _joint_method(kind: str, words: str) -> Any:
    def method(self: Mechanism, name: str, parent: Any, child: Any, **keys: Any) -> Part:
        return self.joint(name, kind, parent, child, **keys)
    method.__name__, method.__qualname__ = kind, f"Mechanism.{kind}"
    method.__doc__ = f"{words} Parent first, then child; keywords as in the model file."
    return method


for _kind, _words in {"weld": "No motion.", "revolute": "One rotation.", "prismatic": "One translation.",
                      "screw": "A rotation with a translation along the axis.", "cylindrical": "Translation along and rotation about one axis.",
                      "universal": "Two rotations.", "gimbal": "Three rotations in any sequence.",
                      "spherical": "Any rotation, by four Euler parameters.", "planar": "Two translations and a rotation.",
                      "free": "Three translations and any rotation.", "bushing": "Three translations and three rotations.",
                      "general": "Any motions in any order."}.items():
    setattr(Mechanism, _kind, _joint_method(_kind, _words))
