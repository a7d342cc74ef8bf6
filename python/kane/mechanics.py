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

from . import _kane, energy
from .energy import *  # noqa: F401,F403
from .energy import Particle, RigidBody
from .errors import ModelError
from .expr import Expr, acos, asin, atan, atan2, cos, exp, log, sin, sqrt, symbols, tan
from .linear import linearize_rates
from .matrices import Column, Matrix
from .numeric import EquationsOfMotion
from .vectors import (Dyadic, Point, ReferenceFrame, Vector, _sum, cross, dot, dynamicsymbols, express, is_dynamic, outer,
                      time_derivative)

__all__ = ["dynamicsymbols", "symbols", "ReferenceFrame", "Point", "Vector", "Dyadic", "KanesMethod", "LagrangesMethod", "Matrix",
           "dot", "cross", "outer", "express", "time_derivative", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp",
           "log", "sqrt", *energy.__all__]

# Names of sympy.physics.mechanics that this module does not have.
_ABSENT = {"Linearizer": "KanesMethod.linearize() gives A and B", "SymbolicSystem": "KanesMethod.compile() gives functions for solvers",
           "Body": "kane.Mechanism describes bodies and joints", "JointsMethod": "kane.Mechanism describes bodies and joints",
           "PinJoint": "kane.Mechanism has revolute()", "PrismaticJoint": "kane.Mechanism has prismatic()",
           "CylindricalJoint": "kane.Mechanism has cylindrical()", "PlanarJoint": "kane.Mechanism has planar()",
           "SphericalJoint": "kane.Mechanism has spherical()", "WeldJoint": "kane.Mechanism has weld()",
           "System": "kane.Mechanism describes bodies and joints", "LinearSpring": "kane.Mechanism has load()",
           "LinearDamper": "kane.Mechanism has load()", "get_motion_params": "Point.set_vel() and set_acc() take vectors"}


def __getattr__(name: str) -> Any:
    if name in _ABSENT:
        raise AttributeError(f"kane.mechanics has no {name}: {_ABSENT[name]}")
    raise AttributeError(f"module 'kane.mechanics' has no attribute '{name}'")


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
    if isinstance(values, Matrix):
        return [e for row in values for e in row]
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
                 bodies: Optional[Sequence[Any]] = None, forcelist: Optional[Sequence[Any]] = None,
                 explicit_kinematics: bool = True, kd_eqs_solver: str = "LU", constraint_solver: str = "LU") -> None:
        del explicit_kinematics, kd_eqs_solver, constraint_solver  # choices that SymPy leaves to its user
        if not isinstance(frame, ReferenceFrame):
            raise TypeError("the inertial ReferenceFrame is needed first")
        self.frame = frame
        self._q = _list(q_ind) + _list(q_dependent)
        self._independent_q = len(_list(q_ind))
        self._independent, self._dependent = _list(u_ind), _list(u_dependent)
        self._u = self._independent + self._dependent
        self._auxiliary = _list(u_auxiliary)
        for e in [*self._q, *self._u, *self._auxiliary]:
            if not is_dynamic(e):
                raise TypeError(f"coordinates and speeds are dynamicsymbols, not {e!r}")
        self.udot = [time_derivative(u) for u in self._u]
        self._qdot = [time_derivative(q) for q in self._q]
        self._bodies, self._loads = bodies, forcelist
        self._configuration = _list(configuration_constraints)
        self._solve_kinematics(_list(kd_eqs))
        self._set_constraints(_list(velocity_constraints), _list(acceleration_constraints))
        self._fr: Optional[List[Any]] = None

    # ---- kinematics ------------------------------------------------------------------------------------------------------
    def _solve_kinematics(self, equations: List[Any]) -> None:
        if len(equations) != len(self._q):
            raise ModelError(f"{len(self._q)} coordinates need as many kinematical differential equations, not {len(equations)}")
        rows, rest = _linear(equations, self._qdot, "kinematical differential equations")
        found = _kane.solve([c for row in rows for c in row], [-r for r in rest]) if equations else []
        self._kinematics = dict(zip(self._qdot, found))
        self._rates: Dict[Expr, Any] = {**dict(zip(self._q, found)), **dict(zip(self._u, self.udot))}

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
        self._velocity_constraints = velocity
        rows, _ = _linear(velocity, self._u + self._auxiliary, "velocity constraints")
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
    def kanes_equations(self, bodies: Optional[Sequence[Any]] = None, loads: Optional[Sequence[Any]] = None) -> Tuple[Column, Column]:
        """F_r and F*_r, one per independent speed, then one per auxiliary speed."""
        bodies = _list(bodies if bodies is not None else self._bodies)
        loads = _list(loads if loads is not None else self._loads)
        if bodies and isinstance(bodies[0], (tuple, list)):  # SymPy once had the order the other way round
            bodies, loads = loads, bodies
        self._bodies, self._loads = bodies, loads
        for load in loads:
            if not isinstance(load, (tuple, list)) or len(load) != 2:
                raise TypeError(f"a load is (Point or ReferenceFrame, Vector), not {load!r}")
        if not bodies:
            raise ModelError("there are no bodies and particles")
        speeds = self._u + self._auxiliary
        still = self._still()
        active, inertial = [0] * len(speeds), [0] * len(speeds)
        for where, value in loads:
            self._add(active, self._partials(where, speeds), Vector._check(value), still, 1)
        for body in bodies:
            self._add_body(inertial, body, speeds, still)
        self._fr, self._frstar = self._recombine(active), self._recombine(inertial)
        self._finish()
        return Column(self._fr), Column(self._frstar)

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
    def q(self) -> Column:
        return Column(self._q)

    @property
    def u(self) -> Column:
        return Column(self._u)

    @property
    def bodies(self) -> List[Any]:
        return list(self._bodies or [])

    bodylist = bodies

    @property
    def loads(self) -> List[Any]:
        return list(self._loads or [])

    forcelist = loads

    @property
    def mass_matrix(self) -> Matrix:
        """M of M u' = forcing; the acceleration constraints are the last rows."""
        self._formed()
        return Matrix(self._mass)

    @property
    def forcing(self) -> Column:
        self._formed()
        return Column(self._forcing)

    @property
    def mass_matrix_full(self) -> Matrix:
        """M of M x' = forcing with x = (q, u)."""
        self._formed()
        n, o = len(self._q), len(self._u)
        one = [[int(i == j) for j in range(n + o)] for i in range(n)]
        return Matrix(one + [[0] * n + list(row) for row in self._mass])

    @property
    def forcing_full(self) -> Column:
        self._formed()
        return Column([self._kinematics[d] for d in self._qdot] + list(self._forcing))

    @property
    def auxiliary_eqs(self) -> Column:
        """F_r + F*_r of the auxiliary speeds: zero, and therefore equations for the forces that they bring into evidence."""
        self._formed()
        p = len(self._independent)
        return Column([f + s for f, s in zip(self._fr[p:], self._frstar[p:])])

    def rhs(self, inv_method: Any = None) -> Column:
        """x' in symbols."""
        m, f = self.mass_matrix, self.forcing
        rates = _kane.solve([e for row in m for e in row], list(f))
        return Column([self._kinematics[d] for d in self._qdot] + list(rates))

    def linearize(self, op_point: Any = None, A_and_B: bool = True, inputs: Optional[Sequence[Expr]] = None,
                  simplify: bool = False, **_: Any) -> Tuple[Matrix, Matrix, Column]:
        """A, B and the inputs of x' = A x + B r about ``op_point`` (a dict, or several), for the independent coordinates and
        speeds. Dependent ones follow the constraints."""
        self._formed()
        if not A_and_B:
            raise ModelError("linearize() gives A and B; use mass_matrix_full and forcing_full for other forms")
        velocity = [self._in_speeds(v).subs(self._still()) for v in self._velocity_constraints]
        return linearize_rates(list(self._q), list(self._u), self._independent_q, len(self._independent), list(self.rhs()),
                               self._configuration, velocity, op_point, inputs)

    def to_linearizer(self, *_: Any, **__: Any) -> Any:
        raise ModelError("there is no Linearizer: linearize() gives A, B and the inputs at once")

    def compile(self, parameters: Optional[Mapping] = None) -> EquationsOfMotion:
        """The equations as functions of numbers and arrays; ``compile().rhs`` is the function for SciPy's solvers."""
        return compile_method(list(self._q) + list(self._u), self.mass_matrix_full, self.forcing_full, lambda: list(self.rhs()),
                              parameters)


def compile_method(states: List[Expr], mass: Matrix, forcing: Column, rates: Callable,
                   parameters: Optional[Mapping]) -> EquationsOfMotion:
    """Functions of numbers of M x' = forcing; the mass matrix may have further unknowns (multipliers) after the states."""
    entries = [e for row in mass for e in row]
    names = {e.name for e in states}
    leaves = {s.name: s for e in [*entries, *forcing] for s in e.free_symbols_list()}
    rest = [s for name, s in sorted(leaves.items()) if name not in names and name != "t"]
    specified = [s for s in rest if is_dynamic(s)]
    constants = [s for s in rest if not is_dynamic(s)]
    groups = [states, specified, constants]
    described = [_kane.Argument("t", [])] + [_kane.Argument(str(g), [len(g)]) for g in groups]
    symbols_in_order = ["t"] + [s.name for g in groups for s in g]
    return EquationsOfMotion(states, constants, specified, len(forcing),
                             lambda list_: _kane.compile(list(list_), described, symbols_in_order), entries, list(forcing),
                             lambda m, f: rates()).set(parameters)


class LagrangesMethod:
    """Lagrange's equations from a Lagrangian, with loads and constraints.

    >>> from kane.mechanics import *
    >>> q = dynamicsymbols("q")
    >>> m, l, g = symbols("m l g")
    >>> LM = LagrangesMethod(m*l**2*q.diff()**2/2 + m*g*l*cos(q), [q])
    >>> LM.form_lagranges_equations()
    [m*l*(l*q'' + g*sin(q))]
    """

    def __init__(self, Lagrangian: Any, qs: Sequence[Expr], forcelist: Optional[Sequence[Any]] = None,
                 bodies: Optional[Sequence[Any]] = None, frame: Optional[ReferenceFrame] = None,
                 hol_coneqs: Optional[Sequence[Any]] = None, nonhol_coneqs: Optional[Sequence[Any]] = None) -> None:
        self._L = Lagrangian if isinstance(Lagrangian, Expr) else _kane.number(Lagrangian)
        self.q = Column(_list(qs))
        for e in self.q:
            if not is_dynamic(e):
                raise TypeError(f"coordinates are dynamicsymbols, not {e!r}")
        self.forcelist, self.bodies, self.inertial = _list(forcelist), _list(bodies), frame
        if self.forcelist and not isinstance(frame, ReferenceFrame):
            raise TypeError("loads need the inertial frame: frame=N")
        self._holonomic, self._nonholonomic = _list(hol_coneqs), _list(nonhol_coneqs)
        count = len(self._holonomic) + len(self._nonholonomic)
        self.lam_vec = Column(_list(dynamicsymbols(" ".join(f"lam{i + 1}" for i in range(count))) if count else []))
        self._mass: Optional[List[List[Any]]] = None

    @property
    def loads(self) -> List[Any]:
        return self.forcelist

    @property
    def u(self) -> Column:
        """The rates of the coordinates."""
        return Column([time_derivative(q) for q in self.q])

    def form_lagranges_equations(self) -> Column:
        """d/dt (dL/dq') - dL/dq - Q - A^T lambda, zero for each coordinate."""
        rates, accelerations = list(self.u), [time_derivative(u) for u in self.u]
        self._rows, _ = _linear([time_derivative(c) for c in self._holonomic] + self._nonholonomic, rates, "constraints")
        real = [time_derivative(c) for c in self._holonomic] + [c if isinstance(c, Expr) else _kane.number(c) for c in self._nonholonomic]
        a_rows, a_rest = _linear([time_derivative(c) for c in real], accelerations, "differentiated constraints")
        left = [time_derivative(self._L.diff(u)) - self._L.diff(q) for q, u in zip(self.q, rates)]
        forces = [self._force(q, u) for q, u in zip(self.q, rates)]
        still = {a: 0 for a in accelerations}
        self._mass = [[e.diff(a) for a in accelerations] for e in left]
        self._forcing = [f - e.subs(still) for e, f in zip(left, forces)]
        self._a_rows, self._a_right = a_rows, [-r for r in a_rest]
        pushes = [_sum(row[j] * lam for row, lam in zip(self._rows, self.lam_vec)) for j in range(len(self.q))]
        self.eom = Column([e - f - p for e, f, p in zip(left, forces, pushes)])
        return self.eom

    def _force(self, q: Expr, u: Expr) -> Any:
        """The generalized force of the loads on a coordinate."""
        total: Any = _kane.number(0)
        for where, value in self.forcelist:
            v = where.vel(self.inertial) if isinstance(where, Point) else where.ang_vel_in(self.inertial)
            total = v.diff(u, self.inertial, var_in_dcm=False).dot(Vector._check(value)) + total
        return total

    def _formed(self) -> None:
        if self._mass is None:
            raise ModelError("form the equations first: form_lagranges_equations()")

    @property
    def mass_matrix(self) -> Matrix:
        """M, followed by columns of the constraint forces, of M q'' - A^T lambda = forcing."""
        self._formed()
        return Matrix([list(row) + [-c[i] for c in self._rows] for i, row in enumerate(self._mass)])

    @property
    def forcing(self) -> Column:
        self._formed()
        return Column(self._forcing)

    @property
    def mass_matrix_full(self) -> Matrix:
        """For x = (q, q', lambda)."""
        self._formed()
        n, m = len(self.q), len(self.lam_vec)
        one = [[int(i == j) for j in range(2 * n + m)] for i in range(n)]
        return Matrix(one + [[0] * n + list(row) for row in self.mass_matrix] + [[0] * n + list(row) + [0] * m for row in self._a_rows])

    @property
    def forcing_full(self) -> Column:
        self._formed()
        return Column(list(self.u) + list(self._forcing) + list(self._a_right))

    def rhs(self, inv_method: Any = None, **_: Any) -> Column:
        """(q', q'', lambda) in symbols."""
        n = len(self.q)
        rows = [list(row)[n:] for row in self.mass_matrix_full[n:]]
        return Column(list(self.u) + list(_kane.solve([e for row in rows for e in row], list(self.forcing_full)[n:])))

    def solve_multipliers(self, op_point: Any = None, sol_type: str = "dict") -> Any:
        """The multipliers in symbols, or at a point."""
        values = {} if op_point is None else dict(op_point)
        found = [e.subs(values) for e in self.rhs()[2 * len(self.q):]]
        return dict(zip(self.lam_vec, found)) if sol_type == "dict" else Column(found)

    def linearize(self, q_ind: Optional[Sequence[Expr]] = None, qd_ind: Optional[Sequence[Expr]] = None,
                  q_dep: Optional[Sequence[Expr]] = None, qd_dep: Optional[Sequence[Expr]] = None, op_point: Any = None,
                  A_and_B: bool = True, inputs: Optional[Sequence[Expr]] = None, **_: Any) -> Tuple[Matrix, Matrix, Column]:
        """A, B and the inputs of x' = A x + B r about ``op_point``."""
        if not A_and_B:
            raise ModelError("linearize() gives A and B; use mass_matrix_full and forcing_full for other forms")
        q = _list(q_ind) + _list(q_dep) or list(self.q)
        u = _list(qd_ind) + _list(qd_dep) or [time_derivative(e) for e in q]
        place = {e: i for i, e in enumerate([*self.q, *self.u])}
        rates = list(self.rhs())
        constraints = [time_derivative(c) for c in self._holonomic] + self._nonholonomic
        return linearize_rates(q, u, len(_list(q_ind)) or len(q), len(_list(qd_ind)) or len(u), [rates[place[e]] for e in [*q, *u]],
                               self._holonomic, constraints, op_point, inputs)

    def compile(self, parameters: Optional[Mapping] = None) -> EquationsOfMotion:
        """The equations as functions of numbers and arrays; ``compile().rhs`` is the function for SciPy's solvers."""
        states = list(self.q) + list(self.u)
        return compile_method(states, self.mass_matrix_full, self.forcing_full, lambda: list(self.rhs())[:len(states)], parameters)
