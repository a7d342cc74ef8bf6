"""Kane's method by hand, with the names of ``sympy.physics.mechanics``, on Kane's expressions.

>>> from kane.mechanics import *
>>> q, u = dynamicsymbols("q u")
>>> qd = dynamicsymbols("q", 1)
>>> m, l, g = symbols("m l g")
>>> N = ReferenceFrame("N")
>>> A = N.orientnew("A", "Axis", [q, N.z])
>>> A.set_ang_vel(N, u * N.z)
>>> O = Point("O")
>>> O.set_vel(N, 0)
>>> P = O.locatenew("P", l * A.x)
>>> v = P.v2pt_theory(O, N, A)
>>> KM = KanesMethod(N, q_ind=[q], u_ind=[u], kd_eqs=[qd - u])
>>> fr, frstar = KM.kanes_equations([Particle("P", P, m)], [(P, m * g * N.x)])
>>> KM.mass_matrix[0][0], KM.forcing[0]
(m*l^2, -m*l*g*sin(q))
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from . import _kane
from .errors import ModelError
from .expr import Expr, cos, flatten, parse, select, sin, sqrt, symbols, tan
from .numeric import EquationsOfMotion
from .vectors import (Dyadic, Point, ReferenceFrame, Vector, _sum, cross, dot, dynamicsymbols, express, is_dynamic, outer,
                      time_derivative)

__all__ = ["dynamicsymbols", "symbols", "ReferenceFrame", "Point", "Vector", "Dyadic", "Particle", "RigidBody", "inertia",
           "KanesMethod", "dot", "cross", "outer", "express", "time_derivative", "sin", "cos", "tan", "sqrt"]


def inertia(frame: ReferenceFrame, ixx: Any, iyy: Any, izz: Any, ixy: Any = 0, iyz: Any = 0, izx: Any = 0) -> Dyadic:
    """An inertia dyadic by its matrix elements (products of inertia carry the sign of the element)."""
    return Dyadic({frame: [[ixx, ixy, izx], [ixy, iyy, iyz], [izx, iyz, izz]]})


class Particle:
    """A point with mass."""

    def __init__(self, name: str, point: Point, mass: Any) -> None:
        if not isinstance(point, Point):
            raise TypeError(f"a particle is at a Point, not at {type(point).__name__}")
        self.name, self.point, self.mass = name, point, mass
        self.potential_energy: Any = 0

    def linear_momentum(self, frame: ReferenceFrame) -> Vector:
        return self.point.vel(frame) * self.mass

    def kinetic_energy(self, frame: ReferenceFrame) -> Expr:
        v = self.point.vel(frame)
        return v.dot(v) * self.mass / 2

    def __repr__(self) -> str:
        return self.name


class RigidBody:
    """A rigid body: mass centre, frame, mass, and (inertia, point it is about)."""

    def __init__(self, name: str, masscenter: Point, frame: ReferenceFrame, mass: Any, inertia: Tuple[Dyadic, Point]) -> None:
        if not isinstance(masscenter, Point) or not isinstance(frame, ReferenceFrame):
            raise TypeError("a rigid body has a Point as mass centre and a ReferenceFrame")
        self.name, self.masscenter, self.frame, self.mass, self.inertia = name, masscenter, frame, mass, inertia
        self.potential_energy: Any = 0

    @property
    def central_inertia(self) -> Dyadic:
        """The inertia about the mass centre, by the parallel-axis theorem."""
        dyadic, point = self.inertia
        if point is self.masscenter:
            return dyadic
        r = self.masscenter.pos_from(point)
        one = sum((e.outer(e) for e in self.frame), Dyadic())
        return dyadic - (one * r.dot(r) - r.outer(r)) * self.mass

    def linear_momentum(self, frame: ReferenceFrame) -> Vector:
        return self.masscenter.vel(frame) * self.mass

    def kinetic_energy(self, frame: ReferenceFrame) -> Expr:
        v, w = self.masscenter.vel(frame), self.frame.ang_vel_in(frame)
        return v.dot(v) * self.mass / 2 + w.dot(self.central_inertia.dot(w)) / 2

    def __repr__(self) -> str:
        return self.name


def _linear(expressions: Sequence[Any], unknowns: Sequence[Expr], what: str) -> Tuple[List[List[Any]], List[Any]]:
    """Coefficients and remainders of expressions that are linear in the unknowns."""
    zero = {x: 0 for x in unknowns}
    rows, rest = [], []
    for e in expressions:
        e = e if isinstance(e, Expr) else _kane.number(e)
        row = [e.diff(x) for x in unknowns]
        if any(c.diff(x) != 0 for c in row for x in unknowns):
            raise ModelError(f"{what} must be linear in {', '.join(map(str, unknowns))}: {e}")
        rows.append(row)
        rest.append(e.subs(zero))
    return rows, rest


def _list(values: Any) -> List[Any]:
    return [] if values is None else list(values) if isinstance(values, (list, tuple)) else [values]


class KanesMethod:
    """Kane's equations from velocities and loads: F_r + F*_r = 0.

    Partial velocities are read off the velocities as they were set or found, so that systems can be described by velocities
    alone (rolling) as well as by positions. ``u_auxiliary`` speeds are zero; their equations give constraint forces.
    """

    def __init__(self, frame: ReferenceFrame, q_ind: Sequence[Expr], u_ind: Sequence[Expr], kd_eqs: Optional[Sequence[Any]] = None,
                 q_dependent: Optional[Sequence[Expr]] = None, configuration_constraints: Optional[Sequence[Any]] = None,
                 u_dependent: Optional[Sequence[Expr]] = None, velocity_constraints: Optional[Sequence[Any]] = None,
                 acceleration_constraints: Optional[Sequence[Any]] = None, u_auxiliary: Optional[Sequence[Expr]] = None,
                 bodies: Optional[Sequence[Any]] = None, forcelist: Optional[Sequence[Any]] = None) -> None:
        if not isinstance(frame, ReferenceFrame):
            raise TypeError("the inertial ReferenceFrame is needed first")
        self.frame = frame
        self.q = _list(q_ind) + _list(q_dependent)
        self._independent, self._dependent = _list(u_ind), _list(u_dependent)
        self.u = self._independent + self._dependent
        self._auxiliary = _list(u_auxiliary)
        for e in [*self.q, *self.u, *self._auxiliary]:
            if not is_dynamic(e):
                raise TypeError(f"coordinates and speeds are dynamicsymbols, not {e!r}")
        self.udot = [time_derivative(u) for u in self.u]
        self._qdot = [time_derivative(q) for q in self.q]
        self._bodies, self._loads = bodies, forcelist
        self._configuration = _list(configuration_constraints)
        self._solve_kinematics(_list(kd_eqs))
        self._set_constraints(_list(velocity_constraints), _list(acceleration_constraints))
        self._fr: Optional[List[Any]] = None

    # ---- kinematics ------------------------------------------------------------------------------------------------------
    def _solve_kinematics(self, equations: List[Any]) -> None:
        if len(equations) != len(self.q):
            raise ModelError(f"{len(self.q)} coordinates need as many kinematical differential equations, not {len(equations)}")
        rows, rest = _linear(equations, self._qdot, "kinematical differential equations")
        found = _kane.solve([c for row in rows for c in row], [-r for r in rest]) if equations else []
        self._kinematics = dict(zip(self._qdot, found))
        self._rates: Dict[Expr, Any] = {**dict(zip(self.q, found)), **dict(zip(self.u, self.udot))}

    def kindiffdict(self) -> Dict[Expr, Expr]:
        """q' in terms of the speeds."""
        return dict(self._kinematics)

    def _still(self) -> Dict[Expr, Any]:
        """Auxiliary speeds and their derivatives are zero."""
        return {e: 0 for u in self._auxiliary for e in (u, time_derivative(u))}

    def _in_speeds(self, e: Any) -> Any:
        return e.subs(self._kinematics) if isinstance(e, Expr) else e

    def _rate(self, e: Any) -> Any:
        return time_derivative(e, rates=self._rates)

    # ---- constraints -----------------------------------------------------------------------------------------------------
    def _set_constraints(self, velocity: List[Any], acceleration: List[Any]) -> None:
        m, p = len(self._dependent), len(self._independent)
        if not velocity and self._configuration and m:
            velocity = [self._in_speeds(time_derivative(c)) for c in self._configuration]
        if len(velocity) != m:
            raise ModelError(f"{m} dependent speeds need as many velocity constraints, not {len(velocity)}")
        velocity = [self._in_speeds(v) for v in velocity]
        rows, _ = _linear(velocity, self.u + self._auxiliary, "velocity constraints")
        still = self._still()
        real = [v.subs(still) for v in velocity]
        derivatives = [self._in_speeds(a).subs(still) for a in acceleration] or [self._rate(v) for v in real]
        self._a_rows, self._a_rest = _linear(derivatives, self.udot, "acceleration constraints")
        # u_dependent = D (u_independent, u_auxiliary) + ...: columns of D = -A_d^-1 A_i.
        columns = [*range(p), *range(p + m, p + m + len(self._auxiliary))] if m else []
        self._d: List[List[Any]] = [[0] * (p + len(self._auxiliary)) for _ in range(m)]
        block = [row[p + j] for row in rows for j in range(m)]
        for i, column in enumerate(columns):
            for j, value in enumerate(_kane.solve(block, [-row[column] for row in rows])):
                self._d[j][i] = value

    # ---- Kane's equations --------------------------------------------------------------------------------------------------
    def kanes_equations(self, bodies: Optional[Sequence[Any]] = None, loads: Optional[Sequence[Any]] = None) -> Tuple[List[Any], List[Any]]:
        """F_r and F*_r, one per independent speed, then one per auxiliary speed."""
        bodies = _list(bodies if bodies is not None else self._bodies)
        loads = _list(loads if loads is not None else self._loads)
        if bodies and isinstance(bodies[0], (tuple, list)):  # SymPy once had the order the other way round
            bodies, loads = loads, bodies
        if not bodies:
            raise ModelError("there are no bodies and particles")
        speeds = self.u + self._auxiliary
        still = self._still()
        active, inertial = [0] * len(speeds), [0] * len(speeds)
        for where, value in loads:
            self._add(active, self._partials(where, speeds), Vector._check(value), still, 1)
        for body in bodies:
            self._add_body(inertial, body, speeds, still)
        self._fr, self._frstar = self._recombine(active), self._recombine(inertial)
        self._finish()
        return list(self._fr), list(self._frstar)

    def _velocity(self, where: Any) -> Vector:
        if isinstance(where, Point):
            v = where.vel(self.frame)
        elif isinstance(where, ReferenceFrame):
            v = where.ang_vel_in(self.frame)
        else:
            raise TypeError(f"a load acts on a Point or a ReferenceFrame, not on {type(where).__name__}")
        return v.applied(self._in_speeds)

    def _partials(self, where: Any, speeds: Sequence[Expr]) -> List[Vector]:
        v = self._velocity(where)
        return [v.diff(u, self.frame, var_in_dcm=False) for u in speeds]

    def _add(self, sums: List[Any], partials: Sequence[Vector], value: Vector, still: Dict, sign: int) -> None:
        value = value.applied(self._in_speeds)
        for r, partial in enumerate(partials):
            if partial.parts:
                sums[r] = _sum((sums[r], self._in_speeds(value.dot(partial)).subs(still) * sign))

    def _add_body(self, sums: List[Any], body: Any, speeds: Sequence[Expr], still: Dict) -> None:
        point = body.point if isinstance(body, Particle) else getattr(body, "masscenter", None)
        if point is None:
            raise TypeError(f"a Particle or RigidBody is needed, not {type(body).__name__}")
        clean: Callable = lambda v: v.applied(self._in_speeds).subs(still)
        v = clean(self._velocity(point))
        given = point._accelerations.get(self.frame)
        a = clean(given) if given is not None else v._dt(self.frame, self._rate, clean)
        self._add(sums, self._partials(point, speeds), a * body.mass, still, -1)
        if isinstance(body, RigidBody):
            w = clean(self._velocity(body.frame))
            alpha = w._dt(self.frame, self._rate, clean)
            central = body.central_inertia
            torque = central.dot(alpha) + w.cross(central.dot(w))
            self._add(sums, self._partials(body.frame, speeds), torque, still, -1)

    def _recombine(self, forces: List[Any]) -> List[Any]:
        p, m = len(self._independent), len(self._dependent)
        free = forces[:p] + forces[p + m:]
        found = [_sum((f, *(self._d[j][i] * forces[p + j] for j in range(m)))) for i, f in enumerate(free)]
        return [e if isinstance(e, Expr) else _kane.number(e) for e in found]

    def _finish(self) -> None:
        p = len(self._independent)
        still = {a: 0 for a in self.udot}
        rows = [[-e.diff(a) for a in self.udot] for e in self._frstar[:p]]
        rest = [_sum((f, s.subs(still))) for f, s in zip(self._fr[:p], self._frstar[:p])]
        self._mass = rows + self._a_rows
        self._forcing = [e if isinstance(e, Expr) else _kane.number(e) for e in rest + [-r for r in self._a_rest]]

    def _formed(self) -> None:
        if self._fr is None:
            raise ModelError("form the equations first: kanes_equations(bodies, loads)")

    # ---- results -----------------------------------------------------------------------------------------------------------
    @property
    def mass_matrix(self) -> List[List[Expr]]:
        """M of M u' = forcing, as rows; the acceleration constraints are the last rows."""
        self._formed()
        return [list(row) for row in self._mass]

    @property
    def forcing(self) -> List[Expr]:
        self._formed()
        return list(self._forcing)

    @property
    def mass_matrix_full(self) -> List[List[Any]]:
        """M of M x' = forcing with x = (q, u)."""
        self._formed()
        n, o = len(self.q), len(self.u)
        one = [[_kane.number(int(i == j)) for j in range(n + o)] for i in range(n)]
        return one + [[_kane.number(0)] * n + list(row) for row in self._mass]

    @property
    def forcing_full(self) -> List[Expr]:
        self._formed()
        return [self._kinematics[d] for d in self._qdot] + list(self._forcing)

    @property
    def auxiliary_eqs(self) -> List[Expr]:
        """F_r + F*_r of the auxiliary speeds: zero, and therefore equations for the forces that they bring into evidence."""
        self._formed()
        p = len(self._independent)
        return [f + s for f, s in zip(self._fr[p:], self._frstar[p:])]

    def rhs(self) -> List[Expr]:
        """x' in symbols."""
        m, f = self.mass_matrix, self.forcing
        rates = _kane.solve([e for row in m for e in row], f)
        return [self._kinematics[d] for d in self._qdot] + list(rates)

    def compile(self, parameters: Optional[Mapping] = None) -> EquationsOfMotion:
        """The equations as functions of numbers and arrays; ``compile().rhs`` is the function for SciPy's solvers."""
        mass = [e for row in self.mass_matrix_full for e in row]
        forcing = self.forcing_full
        states = self.q + self.u
        names = {e.name for e in states}
        leaves = {s.name: s for e in mass + forcing if isinstance(e, Expr) for s in e.free_symbols_list()}
        rest = [s for name, s in sorted(leaves.items()) if name not in names and name != "t"]
        specified = [s for s in rest if is_dynamic(s)]
        constants = [s for s in rest if not is_dynamic(s)]
        groups = [states, specified, constants]
        described = [_kane.Argument("t", [])] + [_kane.Argument(str(g), [len(g)]) for g in groups]
        symbols_in_order = ["t"] + [s.name for g in groups for s in g]
        return EquationsOfMotion(states, constants, specified, len(states),
                                 lambda list_: _kane.compile(list(list_), described, symbols_in_order), mass, forcing,
                                 lambda m, f: self.rhs()).set(parameters)
