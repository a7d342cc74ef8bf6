"""Momentum, energy and other quantities of bodies, with the names of ``sympy.physics.mechanics``."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from . import _kane
from .errors import ModelError
from .expr import Expr, symbols
from .matrices import _Entries
from .vectors import (Dyadic, Point, ReferenceFrame, Vector, _sum, dynamicsymbols, is_dynamic, time_derivative)

__all__ = ["inertia", "inertia_of_point_mass", "Particle", "RigidBody", "Force", "Torque", "gravity", "linear_momentum",
           "angular_momentum", "kinetic_energy", "potential_energy", "Lagrangian", "center_of_mass", "partial_velocity",
           "kinematic_equations", "msubs", "find_dynamicsymbols", "init_vprinting", "mechanics_printing", "vprint", "mprint",
           "vlatex", "mlatex", "vsprint", "msprint"]


def inertia(frame: ReferenceFrame, ixx: Any, iyy: Any, izz: Any, ixy: Any = 0, iyz: Any = 0, izx: Any = 0) -> Dyadic:
    """An inertia dyadic by its matrix elements (products of inertia carry the sign of the element)."""
    return Dyadic({frame: [[ixx, ixy, izx], [ixy, iyy, iyz], [izx, iyz, izz]]})


_inertia = inertia


def inertia_of_point_mass(mass: Any, pos_vec: Vector, frame: ReferenceFrame) -> Dyadic:
    """The inertia of a particle at ``pos_vec`` about the point that the vector begins at."""
    one = sum((e.outer(e) for e in frame), Dyadic())
    return (one * pos_vec.dot(pos_vec) - pos_vec.outer(pos_vec)) * mass


class Force(NamedTuple):
    """A force at a point, for lists of loads."""
    point: Point
    force: Vector


class Torque(NamedTuple):
    """A torque on a frame, for lists of loads."""
    frame: ReferenceFrame
    torque: Vector


class Particle:
    """A point with mass."""

    def __init__(self, name: str, point: Optional[Point] = None, mass: Any = None) -> None:
        point = Point(f"{name}_masscenter") if point is None else point
        if not isinstance(point, Point):
            raise TypeError(f"a particle is at a Point, not at {type(point).__name__}")
        self.name, self.point, self.mass = name, point, symbols(f"{name}_mass") if mass is None else mass
        self.potential_energy: Any = 0

    @property
    def masscenter(self) -> Point:
        return self.point

    def set_potential_energy(self, value: Any) -> None:
        self.potential_energy = value

    def linear_momentum(self, frame: ReferenceFrame) -> Vector:
        return self.point.vel(frame) * self.mass

    def angular_momentum(self, point: Point, frame: ReferenceFrame) -> Vector:
        return self.point.pos_from(point).cross(self.point.vel(frame) * self.mass)

    def kinetic_energy(self, frame: ReferenceFrame) -> Expr:
        v = self.point.vel(frame)
        return v.dot(v) * self.mass / 2

    def parallel_axis(self, point: Point, frame: ReferenceFrame) -> Dyadic:
        """The inertia about a point."""
        return inertia_of_point_mass(self.mass, self.point.pos_from(point), frame)

    def __repr__(self) -> str:
        return self.name


class RigidBody:
    """A rigid body: mass centre, frame, mass, and (inertia, point it is about)."""

    def __init__(self, name: str, masscenter: Optional[Point] = None, frame: Optional[ReferenceFrame] = None,
                 mass: Any = None, inertia: Any = None) -> None:
        masscenter = Point(f"{name}_masscenter") if masscenter is None else masscenter
        frame = ReferenceFrame(f"{name}_frame") if frame is None else frame
        if not isinstance(masscenter, Point) or not isinstance(frame, ReferenceFrame):
            raise TypeError("a rigid body has a Point as mass centre and a ReferenceFrame")
        if inertia is None:
            inertia = (_inertia(frame, *symbols(f"{name}_ixx {name}_iyy {name}_izz {name}_ixy {name}_iyz {name}_izx")), masscenter)
        elif isinstance(inertia, Dyadic):
            inertia = (inertia, masscenter)
        if not (isinstance(inertia, tuple) and len(inertia) == 2 and isinstance(inertia[0], Dyadic) and isinstance(inertia[1], Point)):
            raise TypeError("the inertia of a rigid body is (Dyadic, Point it is about)")
        self.name, self.masscenter, self.frame = name, masscenter, frame
        self.mass, self.inertia = symbols(f"{name}_mass") if mass is None else mass, inertia
        self.potential_energy: Any = 0

    def set_potential_energy(self, value: Any) -> None:
        self.potential_energy = value

    @property
    def central_inertia(self) -> Dyadic:
        """The inertia about the mass centre, by the parallel-axis theorem."""
        dyadic, point = self.inertia
        if point is self.masscenter:
            return dyadic
        return dyadic - inertia_of_point_mass(self.mass, self.masscenter.pos_from(point), self.frame)

    def parallel_axis(self, point: Point, frame: Optional[ReferenceFrame] = None) -> Dyadic:
        """The inertia about a point."""
        return self.central_inertia + inertia_of_point_mass(self.mass, self.masscenter.pos_from(point), frame or self.frame)

    def linear_momentum(self, frame: ReferenceFrame) -> Vector:
        return self.masscenter.vel(frame) * self.mass

    def angular_momentum(self, point: Point, frame: ReferenceFrame) -> Vector:
        spin = self.central_inertia.dot(self.frame.ang_vel_in(frame))
        return spin + self.masscenter.pos_from(point).cross(self.masscenter.vel(frame) * self.mass)

    def kinetic_energy(self, frame: ReferenceFrame) -> Expr:
        v, w = self.masscenter.vel(frame), self.frame.ang_vel_in(frame)
        return v.dot(v) * self.mass / 2 + w.dot(self.central_inertia.dot(w)) / 2

    def __repr__(self) -> str:
        return self.name


# ---- of several bodies -----------------------------------------------------------------------------------------------------

def _total(values: Sequence[Any]) -> Any:
    total = _sum(values)
    return total if isinstance(total, Expr) else _kane.number(total)


def gravity(acceleration: Vector, *bodies: Any) -> List[Force]:
    """The loads of gravity on bodies."""
    return [Force(body.masscenter, acceleration * body.mass) for body in bodies]


def linear_momentum(frame: ReferenceFrame, *bodies: Any) -> Vector:
    return sum((b.linear_momentum(frame) for b in bodies), Vector())


def angular_momentum(point: Point, frame: ReferenceFrame, *bodies: Any) -> Vector:
    return sum((b.angular_momentum(point, frame) for b in bodies), Vector())


def kinetic_energy(frame: ReferenceFrame, *bodies: Any) -> Expr:
    return _total([b.kinetic_energy(frame) for b in bodies])


def potential_energy(*bodies: Any) -> Expr:
    return _total([b.potential_energy for b in bodies])


def Lagrangian(frame: ReferenceFrame, *bodies: Any) -> Expr:
    """Kinetic minus potential energy; potential energies are those the bodies were given."""
    return kinetic_energy(frame, *bodies) - potential_energy(*bodies)


def center_of_mass(point: Point, *bodies: Any) -> Vector:
    """The place of the common mass centre from a point."""
    if not bodies:
        raise TypeError("at least one body is needed")
    return sum((b.masscenter.pos_from(point) * b.mass for b in bodies), Vector()) / _total([b.mass for b in bodies])


def partial_velocity(vel_vecs: Sequence[Vector], gen_speeds: Sequence[Expr], frame: ReferenceFrame) -> List[List[Vector]]:
    """Derivatives of velocities with respect to speeds: a list for each velocity."""
    return [[v.diff(u, frame, var_in_dcm=False) for u in gen_speeds] for v in vel_vecs]


def kinematic_equations(speeds: Sequence[Expr], coords: Sequence[Expr], rot_type: str, rot_order: Any = "") -> List[Expr]:
    """Kinematical differential equations of a body whose speeds are the components of its angular velocity along its own axes."""
    A = ReferenceFrame("A")
    rates = [time_derivative(q) for q in coords]
    if str(rot_type).upper() == "QUATERNION":
        (q0, q1, q2, q3), (u1, u2, u3) = coords, speeds
        found = [(q0 * u1 - q3 * u2 + q2 * u3) / 2, (q3 * u1 + q0 * u2 - q1 * u3) / 2, (-q2 * u1 + q1 * u2 + q0 * u3) / 2,
                 (-q1 * u1 - q2 * u2 - q3 * u3) / 2]
        rates = [*rates[1:], rates[0]]  # the scalar part last, as in SymPy
    else:
        B = A.orientnew("B", rot_type, list(coords), rot_order)
        w = B.ang_vel_in(A).to_matrix(B)
        found = _kane.solve([c.diff(r) for c in w for r in rates], list(speeds))
    return [rate - value for rate, value in zip(rates, found)]


# ---- expressions -------------------------------------------------------------------------------------------------------------

def msubs(expression: Any, *replacements: Dict, **_: Any) -> Any:
    """With symbols replaced, in expressions, vectors, dyadics, matrices and lists."""
    values = {key: value for one in replacements for key, value in one.items()}
    if isinstance(expression, (list, tuple)) and not isinstance(expression, _Entries):
        return type(expression)(msubs(e, values) for e in expression)
    return expression.subs(values) if hasattr(expression, "subs") else expression


def find_dynamicsymbols(expression: Any, exclude: Optional[Sequence[Expr]] = None,
                        reference_frame: Optional[ReferenceFrame] = None) -> set:
    """The functions of time, and their derivatives, in an expression, a matrix, or a vector along the axes of a frame."""
    if isinstance(expression, Vector):
        if reference_frame is None:
            raise ValueError("the functions of time in a vector depend on the frame it is written in: give reference_frame")
        found = expression.free_symbols(reference_frame)
    elif isinstance(expression, (list, tuple)) and not isinstance(expression, _Entries):
        found = {s for e in expression for s in find_dynamicsymbols(e)}
    else:
        found = expression.free_symbols if hasattr(expression, "free_symbols") else set()
    return {s for s in found if is_dynamic(s)} - set(exclude or ())


def init_vprinting(**_: Any) -> None:
    """Does nothing: expressions are always printed as a person would write them."""


def vprint(value: Any, **_: Any) -> None:
    print(value)


def vsprint(value: Any, **_: Any) -> str:
    return str(value)


def vlatex(value: Any, **_: Any) -> str:
    return value.latex() if hasattr(value, "latex") else str(value)


mechanics_printing, mprint, msprint, mlatex = init_vprinting, vprint, vsprint, vlatex
