"""Frames, vectors, points and dyadics with the names of ``sympy.physics.vector``, on Kane's expressions.

>>> from kane.mechanics import ReferenceFrame, dynamicsymbols
>>> q = dynamicsymbols("q")
>>> N = ReferenceFrame("N")
>>> A = N.orientnew("A", "Axis", [q, N.z])
>>> A.x.dot(N.x)
cos(q)
>>> A.ang_vel_in(N)
q'*N.z
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from . import _kane
from .errors import ModelError
from .expr import Expr, acos, cos, sin, sqrt, symbols
from .matrices import Column, Matrix

__all__ = ["dynamicsymbols", "time_derivative", "ReferenceFrame", "Vector", "Dyadic", "Point", "dot", "cross", "outer", "express"]

_TIME = "t"
_dynamic: set = set()  # names of functions of time, without primes

Rows = List[List[Any]]


class _DynamicSymbols:
    """Functions of time: ``q1, q2 = dynamicsymbols("q1 q2")``; ``dynamicsymbols("q1 q2", 1)`` are their derivatives q1', q2'."""

    @property
    def _t(self) -> Expr:
        return _kane.symbol(_TIME)

    def __call__(self, names: Union[str, Iterable[str]], level: int = 0, **assumptions: Any) -> Any:
        several = symbols(names)
        found = several if isinstance(several, tuple) else (several,)
        for e in found:
            if e.name == _TIME:
                raise ModelError("t is the time, not a function of it")
            _dynamic.add(e.name)
        result = tuple(_kane.symbol(e.name + "'" * int(level)) for e in found)
        return result if isinstance(several, tuple) else result[0]


dynamicsymbols = _DynamicSymbols()


def is_dynamic(e: Any) -> bool:
    return isinstance(e, Expr) and e.is_symbol and e.name.rstrip("'") in _dynamic


def time_derivative(value: Any, frame: Optional["ReferenceFrame"] = None, rates: Optional[Dict[Expr, Any]] = None) -> Any:
    """Time derivative of an expression, or of a vector in a frame. ``rates`` gives replacements for some rates."""
    if isinstance(value, Vector):
        if frame is None:
            raise TypeError("the derivative of a vector is in a frame")
        return value.dt(frame)
    if not isinstance(value, Expr):
        return _kane.number(0)
    known: Dict[Expr, Any] = {_kane.symbol(_TIME): 1}
    for s in value.free_symbols_list():
        if rates is not None and s in rates:
            known[s] = rates[s]
        elif is_dynamic(s):
            known[s] = _kane.symbol(s.name + "'")
    return value.total(known)


def _rebuild(text: str, dynamic: Sequence[str]) -> Expr:
    _dynamic.update(dynamic)
    return _kane.parse(text)


def _reduce(self: Expr) -> Any:
    names = [s.name.rstrip("'") for s in self.free_symbols_list()]
    return _rebuild, (self.infix(), [name for name in names if name in _dynamic])


Expr.__reduce__ = _reduce
_partial = Expr.diff
_MOST_DERIVATIVES = 1000


def _diff(self: Expr, *variables: Any) -> Expr:
    """The derivative with respect to a symbol; with respect to t, the total time derivative. ``diff(t, 2)``: twice."""
    result = self
    place = 0
    variables = variables or (dynamicsymbols._t,)
    while place < len(variables):
        variable = variables[place]
        count = 1
        if place + 1 < len(variables) and isinstance(variables[place + 1], int):
            count = variables[place + 1]
            place += 1
        if not isinstance(variable, Expr):
            raise TypeError(f"derivatives are by symbols, not by {variable!r}")
        if isinstance(count, bool) or not 0 <= count <= _MOST_DERIVATIVES:
            raise ValueError(f"an expression is differentiated 0 to {_MOST_DERIVATIVES} times, not {count!r} times")
        for _ in range(count):
            if result.is_zero:
                break
            result = time_derivative(result) if variable.is_symbol and variable.name == _TIME else _partial(result, variable)
        place += 1
    return result


Expr.diff = _diff


def _zero(x: Any) -> bool:
    return x.is_zero if isinstance(x, Expr) else x == 0


def _transpose(m: Rows) -> Rows:
    return [list(column) for column in zip(*m)]


def _times(a: Rows, b: Rows) -> Rows:
    return [[_sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def _sum(terms: Iterable[Any]) -> Any:
    total: Any = 0
    for term in terms:
        total = term + total if isinstance(term, Expr) else total + term
    return total


def _cross3(a: Sequence[Any], b: Sequence[Any]) -> List[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


class Vector:
    """A sum of components along the axes of frames."""

    __slots__ = ("parts",)

    def __init__(self, parts: Optional[Dict["ReferenceFrame", Sequence[Any]]] = None) -> None:
        self.parts = {f: list(c) for f, c in (parts or {}).items() if not all(_zero(x) for x in c)}

    @staticmethod
    def _check(other: Any) -> "Vector":
        if isinstance(other, Vector):
            return other
        if isinstance(other, (int, float)) and other == 0:
            return Vector()
        raise TypeError(f"a Vector is needed, not {type(other).__name__}")

    def __add__(self, other: Any) -> "Vector":
        other = self._check(other)
        parts = {f: list(c) for f, c in self.parts.items()}
        for f, c in other.parts.items():
            parts[f] = [_sum((a, b)) for a, b in zip(parts[f], c)] if f in parts else list(c)
        return Vector(parts)

    __radd__ = __add__

    def __neg__(self) -> "Vector":
        return self * -1

    def __sub__(self, other: Any) -> "Vector":
        return self + self._check(other) * -1

    def __rsub__(self, other: Any) -> "Vector":
        return self._check(other) + self * -1

    def __mul__(self, factor: Any) -> "Vector":
        if isinstance(factor, (Vector, Dyadic)):
            raise TypeError("vectors are multiplied by dot() or cross()")
        return Vector({f: [x * factor for x in c] for f, c in self.parts.items()})

    __rmul__ = __mul__

    def __truediv__(self, factor: Any) -> "Vector":
        return Vector({f: [x / factor if isinstance(x, Expr) or isinstance(factor, Expr) else _kane.number(x) / factor
                           for x in c] for f, c in self.parts.items()})

    def to_matrix(self, frame: "ReferenceFrame") -> Column:
        """The three components along the axes of a frame."""
        return Column(self._components(frame))

    def _components(self, frame: "ReferenceFrame") -> List[Any]:
        total: List[Any] = [0, 0, 0]
        for f, c in self.parts.items():
            if f is frame:
                turned = list(c)
            else:
                r = frame._dcm(f)
                turned = [_sum(r[i][k] * c[k] for k in range(3)) for i in range(3)]
            total = [_sum((a, b)) for a, b in zip(total, turned)]
        return total

    def express(self, frame: "ReferenceFrame") -> "Vector":
        return Vector({frame: self.to_matrix(frame)})

    def dot(self, other: Any) -> Any:
        if isinstance(other, Dyadic):
            return other._left(self)
        other = self._check(other)
        total: Any = 0
        for f, a in self.parts.items():
            for g, b in other.parts.items():
                c = b if f is g else Vector({g: b})._components(f)
                total = _sum((total, *(x * y for x, y in zip(a, c))))
        return total if isinstance(total, Expr) else _kane.number(total)

    def cross(self, other: Any) -> "Vector":
        other = self._check(other)
        total = Vector()
        for f, a in self.parts.items():
            for g, b in other.parts.items():
                # In the frame of the second: an angular velocity times a position stays in the body's frame.
                total = total + Vector({g: _cross3(a if f is g else Vector({f: a})._components(g), b)})
        return total

    def outer(self, other: Any) -> "Dyadic":
        frame = next(iter(self.parts), None) or next(iter(self._check(other).parts), None)
        if frame is None:
            return Dyadic()
        a, b = self.to_matrix(frame), self._check(other).to_matrix(frame)
        return Dyadic({frame: [[x * y for y in b] for x in a]})

    __and__, __xor__, __or__ = dot, cross, outer

    def magnitude(self) -> Expr:
        return sqrt(self.dot(self))

    def normalize(self) -> "Vector":
        return self / self.magnitude()

    def diff(self, variable: Expr, frame: "ReferenceFrame", var_in_dcm: bool = True) -> "Vector":
        """Partial derivative in a frame (with respect to t: :meth:`dt`)."""
        if isinstance(variable, Expr) and variable.is_symbol and variable.name == _TIME:
            return self.dt(frame)
        total = Vector()
        for f, c in self.parts.items():
            if f is frame or not var_in_dcm:
                total = total + Vector({f: [x.diff(variable) if isinstance(x, Expr) else 0 for x in c]})
            else:
                total = total + Vector({frame: [x.diff(variable) if isinstance(x, Expr) else 0
                                                for x in Vector({f: c}).to_matrix(frame)]})
        return total

    def dt(self, frame: "ReferenceFrame") -> "Vector":
        """Time derivative in a frame."""
        return self._dt(frame, time_derivative, lambda v: v)

    def _dt(self, frame: "ReferenceFrame", rate: Callable, clean: Callable) -> "Vector":
        total = Vector()
        for f, c in self.parts.items():
            part = Vector({f: c})
            total = total + Vector({f: [rate(x) for x in c]})
            if f is not frame:
                total = total + clean(f.ang_vel_in(frame)).cross(part)
        return total

    def subs(self, *values: Any) -> "Vector":
        return self.applied(lambda x: x.subs(*values) if isinstance(x, Expr) else x)

    xreplace = subs

    def applyfunc(self, work: Callable) -> "Vector":
        return self.applied(lambda x: work(x if isinstance(x, Expr) else _kane.number(x)))

    def simplify(self) -> "Vector":
        return self

    doit = simplify

    def angle_between(self, other: "Vector") -> Expr:
        """The angle between two vectors, 0 to pi."""
        return acos(self.normalize().dot(other.normalize()))

    def separate(self) -> Dict["ReferenceFrame", "Vector"]:
        """The part along the axes of each frame."""
        return {f: Vector({f: c}) for f, c in self.parts.items()}

    def free_dynamicsymbols(self, frame: "ReferenceFrame") -> set:
        return {s for s in self.free_symbols(frame) if is_dynamic(s)}

    def latex(self) -> str:
        terms = []
        for f, c in self.parts.items():
            for axis, x in zip("xyz", c):
                if not _zero(x):
                    e = x if isinstance(x, Expr) else _kane.number(x)
                    factor = "" if e == 1 else "- " if e == -1 else e.latex() if not (" + " in e.latex() or " - " in e.latex()) \
                        else f"\\left({e.latex()}\\right)"
                    terms.append(f"{factor}\\mathbf{{\\hat{{{f.name.lower()}}}_{axis}}}")
        return " + ".join(terms).replace("+ -", "- ") or "0"

    def _repr_latex_(self) -> str:
        return "$\\displaystyle " + self.latex() + "$"

    def applied(self, work: Callable) -> "Vector":
        return Vector({f: [work(x) for x in c] for f, c in self.parts.items()})

    def free_symbols(self, frame: "ReferenceFrame") -> set:
        return {s for x in self.to_matrix(frame) if isinstance(x, Expr) for s in x.free_symbols}

    def __eq__(self, other: object) -> bool:
        if isinstance(other, (int, float)) and other == 0:
            other = Vector()
        if not isinstance(other, Vector):
            return NotImplemented
        left = self - other
        frame = next(iter(left.parts), None)
        return frame is None or all(_zero(x) for x in left.to_matrix(frame))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        terms = []
        for f, c in self.parts.items():
            for axis, x in zip("xyz", c):
                if not _zero(x):
                    text = str(x)
                    terms.append(f"{f.name}.{axis}" if text == "1" else f"-{f.name}.{axis}" if text == "-1" else
                                 f"({text})*{f.name}.{axis}" if " + " in text or " - " in text else f"{text}*{f.name}.{axis}")
        return " + ".join(terms).replace("+ -", "- ") or "0"


class Dyadic:
    """A sum of dyads, such as an inertia."""

    __slots__ = ("parts",)

    def __init__(self, parts: Optional[Dict["ReferenceFrame", Rows]] = None) -> None:
        self.parts = dict(parts or {})

    def __add__(self, other: Any) -> "Dyadic":
        if isinstance(other, (int, float)) and other == 0:
            return self
        parts = dict(self.parts)
        for f, m in other.parts.items():
            parts[f] = [[_sum((a, b)) for a, b in zip(r, s)] for r, s in zip(parts[f], m)] if f in parts else m
        return Dyadic(parts)

    __radd__ = __add__

    def __mul__(self, factor: Any) -> "Dyadic":
        return Dyadic({f: [[x * factor for x in row] for row in m] for f, m in self.parts.items()})

    def __repr__(self) -> str:
        terms = []
        for f, m in self.parts.items():
            for a, row in zip("xyz", m):
                for b, x in zip("xyz", row):
                    if not _zero(x):
                        text = str(x)
                        factor = "" if text == "1" else f"({text})*" if " + " in text or " - " in text else f"{text}*"
                        terms.append(f"{factor}({f.name}.{a}|{f.name}.{b})")
        return " + ".join(terms).replace("+ -", "- ") or "0"

    __rmul__ = __mul__

    def __neg__(self) -> "Dyadic":
        return self * -1

    def __sub__(self, other: "Dyadic") -> "Dyadic":
        return self + other * -1

    def dot(self, v: Vector) -> Vector:
        total = Vector()
        for f, m in self.parts.items():
            c = v.to_matrix(f)
            total = total + Vector({f: [_sum(row[k] * c[k] for k in range(3)) for row in m]})
        return total

    __and__ = dot

    def cross(self, v: Vector) -> "Dyadic":
        """The dyadic D x v."""
        frame = next(iter(self.parts), None)
        if frame is None:
            return Dyadic()
        c = Vector._check(v).to_matrix(frame)
        return Dyadic({frame: [_cross3(row, c) for row in self.to_matrix(frame)]})

    __xor__ = cross

    def express(self, frame: "ReferenceFrame", frame2: Optional["ReferenceFrame"] = None) -> "Dyadic":
        if frame2 not in (None, frame):
            raise ModelError("a dyadic is expressed in one frame; to_matrix(a, b) gives components in two")
        return Dyadic({frame: self.to_matrix(frame)})

    def dt(self, frame: "ReferenceFrame") -> "Dyadic":
        """Time derivative in a frame: w x D - D x w, and the derivatives of the components."""
        total = Dyadic()
        for f, m in self.parts.items():
            part = Dyadic({f: m})
            total = total + Dyadic({f: [[time_derivative(x) for x in row] for row in m]})
            if f is not frame:
                w = f.ang_vel_in(frame)
                turned = Dyadic({f: _transpose([w.cross(Vector({f: column})).to_matrix(f) for column in _transpose(m)])})
                total = total + turned - part.cross(w)
        return total

    def simplify(self) -> "Dyadic":
        return self

    doit = simplify

    def applyfunc(self, work: Callable) -> "Dyadic":
        return Dyadic({f: [[work(x if isinstance(x, Expr) else _kane.number(x)) for x in row] for row in m]
                       for f, m in self.parts.items()})

    def latex(self) -> str:
        terms = []
        for f, m in self.parts.items():
            for i, row in enumerate(m):
                for j, x in enumerate(row):
                    if not _zero(x):
                        e = x if isinstance(x, Expr) else _kane.number(x)
                        hat = f"\\mathbf{{\\hat{{{f.name.lower()}}}_{{}}}}"
                        terms.append(f"\\left({e.latex()}\\right)" + hat.replace("_{}", f"_{'xyz'[i]}") + "\\otimes "
                                     + hat.replace("_{}", f"_{'xyz'[j]}"))
        return " + ".join(terms) or "0"

    def _repr_latex_(self) -> str:
        return "$\\displaystyle " + self.latex() + "$"

    def _left(self, v: Vector) -> Vector:
        return Dyadic({f: _transpose(m) for f, m in self.parts.items()}).dot(v)

    def to_matrix(self, frame: "ReferenceFrame", second: Optional["ReferenceFrame"] = None) -> Rows:
        """Components, along a frame or along two."""
        return _transpose([self.dot(axis).to_matrix(frame) for axis in second or frame])

    def subs(self, *values: Any) -> "Dyadic":
        return self.applyfunc(lambda x: x.subs(*values))

    xreplace = subs


class ReferenceFrame:
    """A frame with axes x, y, z."""

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise TypeError("a frame has a name")
        self.name = name
        self._turns: Dict["ReferenceFrame", Rows] = {}  # components of the neighbour to components here
        self._rates: Dict["ReferenceFrame", Vector] = {}
        self._accelerations: Dict["ReferenceFrame", Vector] = {}
        self._known: Dict["ReferenceFrame", Rows] = {}
        self.x, self.y, self.z = (Vector({self: [int(i == k) for i in range(3)]}) for k in range(3))

    def __iter__(self) -> Any:
        return iter((self.x, self.y, self.z))

    def __repr__(self) -> str:
        return self.name

    # ---- orientation ---------------------------------------------------------------------------------------------------
    def orientnew(self, name: str, kind: str, amounts: Any, order: Any = "") -> "ReferenceFrame":
        """A new frame, oriented in this one: "Axis" [angle, axis], "Body" or "Space" [three angles] with an order,
        "DCM", "Quaternion"."""
        frame = ReferenceFrame(name)
        frame.orient(self, kind, amounts, order)
        return frame

    def orient(self, parent: "ReferenceFrame", kind: str, amounts: Any, order: Any = "") -> None:
        kinds = {"AXIS": lambda: self.orient_axis(parent, amounts[1], amounts[0]),
                 "BODY": lambda: self.orient_body_fixed(parent, amounts, order),
                 "SPACE": lambda: self.orient_space_fixed(parent, amounts, order),
                 "DCM": lambda: self.orient_explicit(parent, amounts),
                 "QUATERNION": lambda: self.orient_quaternion(parent, amounts)}
        if str(kind).upper() not in kinds:
            raise ValueError(f"a frame is oriented by Axis, Body, Space, DCM or Quaternion, not by {kind}")
        kinds[str(kind).upper()]()

    def orient_axis(self, parent: "ReferenceFrame", axis: Vector, angle: Any) -> None:
        """Orients the frame by an angle about an axis fixed in both."""
        if not isinstance(axis, Vector):
            axis, angle = angle, axis
        length = axis.dot(axis)
        unit = axis if length == 1 else axis.normalize()
        c = unit.to_matrix(parent)
        if any(is_dynamic(s) or s.name == _TIME for x in c if isinstance(x, Expr) for s in x.free_symbols_list()):
            raise ModelError(f"the axis about which '{self.name}' turns moves in '{parent.name}'")
        s, k = sin(angle), cos(angle)
        skew = [[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]]
        rows = [[_sum((k * int(i == j), (1 - k) * c[i] * c[j], s * skew[i][j])) for j in range(3)] for i in range(3)]
        rate = angle.diff(dynamicsymbols._t) if isinstance(angle, Expr) else 0
        self._set(parent, rows, unit * rate)

    def orient_explicit(self, parent: "ReferenceFrame", dcm: Any) -> None:
        """Orients the frame by the matrix that maps its components to those of the parent."""
        rows = _rows(dcm)
        self._set(parent, rows, None)

    def orient_body_fixed(self, parent: "ReferenceFrame", angles: Sequence[Any], rotation_order: Any) -> None:
        self._sequence(parent, list(zip(_axes(rotation_order), angles)))

    def orient_space_fixed(self, parent: "ReferenceFrame", angles: Sequence[Any], rotation_order: Any) -> None:
        self._sequence(parent, list(zip(_axes(rotation_order), angles))[::-1])

    def _sequence(self, parent: "ReferenceFrame", turns: Sequence[Tuple[int, Any]]) -> None:
        if len(turns) != 3:
            raise ValueError("three angles and three axes are needed")
        last, rate = parent, Vector()
        for k, (axis, angle) in enumerate(turns):
            step = ReferenceFrame(f"{self.name}_{k}")
            step.orient_axis(last, list(last)[axis], angle)
            rate = rate + step.ang_vel_in(last)
            last = step
        self._set(parent, parent._dcm(last), rate.express(last)._renamed(last, self))

    def orient_quaternion(self, parent: "ReferenceFrame", numbers: Sequence[Any]) -> None:
        """Orients the frame by normalised Euler parameters, scalar part first."""
        q0, q1, q2, q3 = numbers
        rows = [[q0**2 + q1**2 - q2**2 - q3**2, 2 * (q1 * q2 - q0 * q3), 2 * (q0 * q2 + q1 * q3)],
                [2 * (q1 * q2 + q0 * q3), q0**2 - q1**2 + q2**2 - q3**2, 2 * (q2 * q3 - q0 * q1)],
                [2 * (q1 * q3 - q0 * q2), 2 * (q0 * q1 + q2 * q3), q0**2 - q1**2 - q2**2 + q3**2]]
        d0, d1, d2, d3 = (time_derivative(q) for q in numbers)
        rate = Vector({self: [2 * (q0 * d1 - q1 * d0 - q2 * d3 + q3 * d2), 2 * (q0 * d2 - q2 * d0 - q3 * d1 + q1 * d3),
                              2 * (q0 * d3 - q3 * d0 - q1 * d2 + q2 * d1)]})
        self._set(parent, rows, rate)

    def _set(self, parent: "ReferenceFrame", rows: Rows, rate: Optional[Vector]) -> None:
        if parent is self:
            raise ModelError(f"'{self.name}' cannot be oriented in itself")
        parent._turns[self], self._turns[parent] = rows, _transpose(rows)
        for frame in _connected(self):
            frame._known = {}
        if rate is None:  # R^T R' is the matrix of the angular velocity
            product = _times(_transpose(rows), [[time_derivative(x) for x in row] for row in rows])
            rate = Vector({self: [product[2][1], product[0][2], product[1][0]]})
        self.set_ang_vel(parent, rate)

    def dcm(self, other: "ReferenceFrame") -> Rows:
        """The matrix that maps components in ``other`` to components in this frame."""
        return Matrix(self._dcm(other))

    def _dcm(self, other: "ReferenceFrame") -> Rows:
        if other is self:
            return [[int(i == j) for j in range(3)] for i in range(3)]
        if other not in self._known:
            path = _path(self, other, lambda f: f._turns, "orientation")
            rows = path[0]._turns[path[1]]
            for a, b in zip(path[1:], path[2:]):
                rows = _times(rows, a._turns[b])
            self._known[other] = rows
        return self._known[other]

    # ---- angular velocity ------------------------------------------------------------------------------------------------
    def set_ang_vel(self, other: "ReferenceFrame", value: Any) -> None:
        value = Vector._check(value)
        self._rates[other], other._rates[self] = value, value * -1

    def ang_vel_in(self, other: "ReferenceFrame") -> Vector:
        if other is self:
            return Vector()
        path = _path(self, other, lambda f: f._rates, "angular velocity")
        total = Vector()
        for a, b in zip(path, path[1:]):
            total = total + a._rates[b]
        return total

    def set_ang_acc(self, other: "ReferenceFrame", value: Any) -> None:
        value = Vector._check(value)
        self._accelerations[other], other._accelerations[self] = value, value * -1

    def ang_acc_in(self, other: "ReferenceFrame") -> Vector:
        if other in self._accelerations:
            return self._accelerations[other]
        return self.ang_vel_in(other).dt(other)

    def partial_velocity(self, frame: "ReferenceFrame", *speeds: Expr) -> Any:
        found = tuple(self.ang_vel_in(frame).diff(u, frame, var_in_dcm=False) for u in speeds)
        return found[0] if len(found) == 1 else found


def _renamed(self: Vector, old: ReferenceFrame, new: ReferenceFrame) -> Vector:
    return Vector({new if f is old else f: c for f, c in self.parts.items()})


Vector._renamed = _renamed  # type: ignore[attr-defined]


def _rows(matrix: Any) -> Rows:
    rows = matrix.tolist() if hasattr(matrix, "tolist") else matrix
    return [[x if isinstance(x, Expr) else _kane.number(x) for x in row] for row in rows]


def _axes(order: Any) -> List[int]:
    names = {"1": 0, "2": 1, "3": 2, "X": 0, "Y": 1, "Z": 2}
    text = str(order).upper()
    if len(text) != 3 or any(c not in names for c in text):
        raise ValueError(f"an order of axes is such as '123' or 'XYZ', not '{order}'")
    return [names[c] for c in text]


def _connected(start: ReferenceFrame) -> List[ReferenceFrame]:
    found, stack = {start}, [start]
    while stack:
        for other in stack.pop()._turns:
            if other not in found:
                found.add(other)
                stack.append(other)
    return list(found)


def _path(a: Any, b: Any, neighbours: Callable, what: str) -> List[Any]:
    """The shortest path from a to b."""
    before: Dict[Any, Any] = {a: None}
    queue = [a]
    for x in queue:
        if x is b:
            break
        for y in neighbours(x):
            if y not in before:
                before[y] = x
                queue.append(y)
    if b not in before:
        raise ModelError(f"the {what} of '{a.name}' in '{b.name}' is not known")
    path, x = [], b
    while x is not None:
        path.append(x)
        x = before[x]
    return path[::-1]


class Point:
    """A point; positions and velocities as in SymPy."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._places: Dict["Point", Vector] = {}  # position of this point from the other
        self._velocities: Dict[ReferenceFrame, Vector] = {}
        self._accelerations: Dict[ReferenceFrame, Vector] = {}

    def __repr__(self) -> str:
        return self.name

    def locatenew(self, name: str, offset: Any) -> "Point":
        point = Point(name)
        point.set_pos(self, offset)
        return point

    def set_pos(self, other: "Point", offset: Any) -> None:
        offset = Vector._check(offset)
        self._places[other], other._places[self] = offset, offset * -1

    def pos_from(self, other: "Point") -> Vector:
        path = _path(self, other, lambda p: p._places, "position")
        total = Vector()
        for a, b in zip(path, path[1:]):
            total = total + a._places[b]
        return total

    def set_vel(self, frame: ReferenceFrame, value: Any) -> None:
        self._velocities[frame] = Vector._check(value)

    def vel(self, frame: ReferenceFrame) -> Vector:
        """The velocity as set; otherwise from the nearest point with a velocity, by the derivative of the position between them."""
        if frame not in self._velocities:
            seen, queue = {self}, [self]
            for p in queue:
                if p is not self and frame in p._velocities:
                    self._velocities[frame] = p._velocities[frame] + self.pos_from(p).dt(frame)
                    break
                for other in p._places:
                    if other not in seen:
                        seen.add(other)
                        queue.append(other)
            else:
                raise ModelError(f"the velocity of '{self.name}' in '{frame.name}' is not known: set that of a point it is located from")
        return self._velocities[frame]

    def set_acc(self, frame: ReferenceFrame, value: Any) -> None:
        self._accelerations[frame] = Vector._check(value)

    def acc(self, frame: ReferenceFrame) -> Vector:
        return self._accelerations[frame] if frame in self._accelerations else self.vel(frame).dt(frame)

    def v2pt_theory(self, other: "Point", outframe: ReferenceFrame, fixedframe: ReferenceFrame) -> Vector:
        """The velocity if both points are fixed in ``fixedframe``."""
        v = other.vel(outframe) + fixedframe.ang_vel_in(outframe).cross(self.pos_from(other))
        self.set_vel(outframe, v)
        return v

    def a2pt_theory(self, other: "Point", outframe: ReferenceFrame, fixedframe: ReferenceFrame) -> Vector:
        r, w, alpha = self.pos_from(other), fixedframe.ang_vel_in(outframe), fixedframe.ang_acc_in(outframe)
        a = other.acc(outframe) + alpha.cross(r) + w.cross(w.cross(r))
        self.set_acc(outframe, a)
        return a

    def v1pt_theory(self, other: "Point", outframe: ReferenceFrame, interframe: ReferenceFrame) -> Vector:
        """The velocity if this point moves in ``interframe``, in which the other is fixed."""
        if interframe not in self._velocities:
            self.set_vel(interframe, self.pos_from(other).dt(interframe))
        v = self.vel(interframe) + other.vel(outframe) + interframe.ang_vel_in(outframe).cross(self.pos_from(other))
        self.set_vel(outframe, v)
        return v

    def a1pt_theory(self, other: "Point", outframe: ReferenceFrame, interframe: ReferenceFrame) -> Vector:
        r, w, alpha = self.pos_from(other), interframe.ang_vel_in(outframe), interframe.ang_acc_in(outframe)
        v = self.vel(interframe)
        a = other.acc(outframe) + self.acc(interframe) + alpha.cross(r) + w.cross(w.cross(r)) + w.cross(v) * 2
        self.set_acc(outframe, a)
        return a

    def partial_velocity(self, frame: ReferenceFrame, *speeds: Expr) -> Any:
        found = tuple(self.vel(frame).diff(u, frame, var_in_dcm=False) for u in speeds)
        return found[0] if len(found) == 1 else found


def _needed(value: Any, *kinds: type) -> Any:
    if not isinstance(value, kinds):
        raise TypeError(f"a {' or '.join(k.__name__ for k in kinds)} is needed, not {type(value).__name__}")
    return value


def dot(a: Any, b: Any) -> Any:
    """a . b"""
    return _needed(a, Vector, Dyadic).dot(b)


def cross(a: Any, b: Any) -> Any:
    """a x b"""
    return _needed(a, Vector, Dyadic).cross(b)


def outer(a: Vector, b: Vector) -> Dyadic:
    """The dyadic a b."""
    return _needed(a, Vector).outer(b)


def express(value: Any, frame: ReferenceFrame) -> Any:
    """A vector from its components in a frame."""
    return _needed(value, Vector, Dyadic).express(frame)
