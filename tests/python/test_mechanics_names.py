"""The smaller names of sympy.physics.mechanics: Lagrange's equations, linear equations, momenta and energies, matrices."""

import pickle

import numpy as np
import pytest

sympy = pytest.importorskip("sympy")
from sympy.physics import mechanics as their  # noqa: E402

import kane  # noqa: E402
import kane.mechanics as ours  # noqa: E402


def numbers(value, values):
    """A matrix or expression of either kind as numbers; values by name, as `q'` for rates."""
    rows = value.tolist() if hasattr(value, "tolist") else [[value]]

    def number(e):
        if isinstance(e, sympy.Basic):
            t = their.dynamicsymbols._t
            for name in sorted(values, key=lambda n: -n.count("'")):
                stem, order = name.rstrip("'"), name.count("'")
                q = sympy.Function(stem)(t)
                e = e.subs({q.diff(t, order) if order else q: values[name], sympy.Symbol(stem): values.get(stem, 0)})
            return float(e)
        return float(e.subs({n: v for n, v in values.items()})) if hasattr(e, "subs") else float(e)
    return np.array([[number(e) for e in row] for row in rows])


VALUES = {"q1": 0.4, "q2": -0.7, "q1'": 0.9, "q2'": 0.3, "q1''": 0.0, "q2''": 0.0, "u1": 0.9, "u2": 0.3, "m": 1.3, "l": 0.6, "g": 9.81,
          "k": 4.0, "f": 0.5, "I": 0.2}


def sliding_pendulum(me, s, cosine):
    """Cart on a spring with a pendulum; returns the inertial frame, the bodies and the loads."""
    q1, q2 = me.dynamicsymbols("q1 q2")
    q1d, q2d = me.dynamicsymbols("q1 q2", 1)
    m, l, g, k, I = s("m l g k I", positive=True) if s is not sympy.symbols else s("m l g k I")
    f = me.dynamicsymbols("f")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    A = N.orientnew("A", "Axis", [q2, N.z])
    cart = O.locatenew("C", q1 * N.x)
    cart.set_vel(N, q1d * N.x)
    bob = cart.locatenew("P", -l * A.y)
    bob.v2pt_theory(cart, N, A)
    body = me.RigidBody("rod", bob, A, m, (me.inertia(A, 0, 0, I), bob))
    particle = me.Particle("cart", cart, 2 * m)
    particle.potential_energy = k * q1**2 / 2
    body.potential_energy = -m * g * l * cosine(q2)
    return N, O, [particle, body], [(cart, f * N.x)], (q1, q2)


def lagrange(me, s, cosine, constrained=False):
    N, O, bodies, loads, (q1, q2) = sliding_pendulum(me, s, cosine)
    more = {"hol_coneqs": [q1 - 2 * q2**2 - 1]} if constrained else {}
    LM = me.LagrangesMethod(me.Lagrangian(N, *bodies), [q1, q2], forcelist=loads, frame=N, bodies=bodies, **more)
    LM.form_lagranges_equations()
    return LM


@pytest.mark.parametrize("constrained", [False, True])
def test_lagrange(constrained):
    a, b = lagrange(their, sympy.symbols, sympy.cos, constrained), lagrange(ours, ours.symbols, ours.cos, constrained)
    for name in ("mass_matrix", "forcing", "mass_matrix_full", "forcing_full"):
        assert np.allclose(numbers(getattr(a, name), VALUES), numbers(getattr(b, name), VALUES), rtol=1e-12, atol=1e-12), name
        assert getattr(b, name).shape == getattr(a, name).shape
    eom = b.compile({n: v for n, v in VALUES.items() if n in "mlgkI"})
    eom.set(f=VALUES["f"])
    x = [VALUES[n] for n in ("q1", "q2", "q1'", "q2'")]
    mass, forcing = numbers(a.mass_matrix_full, VALUES), numbers(a.forcing_full, VALUES)
    assert np.allclose(eom.rhs(0.0, np.array(x)), np.linalg.solve(mass, forcing).ravel()[:4], rtol=1e-12)
    if constrained:
        assert numbers(kane.Matrix([list(b.solve_multipliers().values())]), VALUES)[0, 0] == pytest.approx(
            np.linalg.solve(mass, forcing).ravel()[4], rel=1e-12)


def test_energies_and_momenta():
    results = []
    for me, s, cosine in ((their, sympy.symbols, sympy.cos), (ours, ours.symbols, ours.cos)):
        N, O, bodies, _, _ = sliding_pendulum(me, s, cosine)
        found = [me.kinetic_energy(N, *bodies), me.potential_energy(*bodies), me.Lagrangian(N, *bodies)]
        found += list(me.linear_momentum(N, *bodies).to_matrix(N)) + list(me.angular_momentum(O, N, *bodies).to_matrix(N))
        found += [e for row in bodies[1].parallel_axis(O).to_matrix(N).tolist() for e in row] if me is their else \
            [e for row in bodies[1].parallel_axis(O).to_matrix(N) for e in row]
        results.append([numbers(e, VALUES)[0, 0] for e in found])
    assert np.allclose(*results, rtol=1e-12, atol=1e-12)


def test_kinematic_equations():
    for kind, order, names in (("body", "123", "q1 q2 q3"), ("space", "313", "q1 q2 q3"), ("quaternion", "", "q0 q1 q2 q3")):
        values = {"q0": 0.5, "q1": 0.3, "q2": 0.8, "q3": -0.4, "u1": 1.1, "u2": -0.3, "u3": 0.7}
        values.update({f"q{i}'": 0.1 * i for i in range(4)})
        rows = [me.kinematic_equations(me.dynamicsymbols("u1 u2 u3"), me.dynamicsymbols(names), kind, order) for me in (their, ours)]
        assert np.allclose(*[[numbers(e, values)[0, 0] for e in row] for row in rows], rtol=1e-12, atol=1e-13), kind


def roll(me, s):
    """A disk that rolls in a plane down a slope: a dependent coordinate and a dependent speed."""
    q1, q2, u1, u2 = me.dynamicsymbols("q1 q2 u1 u2")
    q1d, q2d = me.dynamicsymbols("q1 q2", 1)
    m, l, g, I, k = s("m l g I k")
    f = me.dynamicsymbols("f")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    A = N.orientnew("A", "Axis", [q2, N.z])
    A.set_ang_vel(N, u2 * N.z)
    C = O.locatenew("C", q1 * N.x)
    C.set_vel(N, u1 * N.x)
    body = me.RigidBody("disk", C, A, m, (me.inertia(A, 0, 0, I), C))
    KM = me.KanesMethod(N, q_ind=[q1], q_dependent=[q2], configuration_constraints=[q1 + l * q2], u_ind=[u1], u_dependent=[u2],
                        velocity_constraints=[u1 + l * u2], kd_eqs=[q1d - u1, q2d - u2])
    KM.kanes_equations([body], [(C, (f - k * q1 + m * g / 3) * N.x)])
    return KM


def double(me, s):
    q1, q2, u1, u2 = me.dynamicsymbols("q1 q2 u1 u2")
    q1d, q2d = me.dynamicsymbols("q1 q2", 1)
    m, l, g = s("m l g")
    f = me.dynamicsymbols("f")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    A, B = N.orientnew("A", "Axis", [q1, N.z]), N.orientnew("B", "Axis", [q2, N.z])
    A.set_ang_vel(N, u1 * N.z)
    B.set_ang_vel(N, u2 * N.z)
    P = O.locatenew("P", l * A.x)
    P.v2pt_theory(O, N, A)
    R = P.locatenew("R", l * B.x)
    R.v2pt_theory(P, N, B)
    KM = me.KanesMethod(N, q_ind=[q1, q2], u_ind=[u1, u2], kd_eqs=[q1d - u1, q2d - u2])
    KM.kanes_equations([me.Particle("p", P, m), me.Particle("r", R, m)], [(P, m * g * N.x), (R, m * g * N.x), (A, f * N.z)])
    return KM


@pytest.mark.parametrize("system", [double, roll])
def test_linearize(system):
    a, b = system(their, sympy.symbols), system(ours, ours.symbols)
    t = their.dynamicsymbols._t
    zero = {e: 0 for e in [*a.q, *a.u, *(u.diff(t) for u in a.u), their.dynamicsymbols("f")]}
    A, B, r = a.linearize(A_and_B=True, op_point=zero)
    mine = b.linearize(A_and_B=True, op_point={e: 0 for e in [*b.q, *b.u, ours.dynamicsymbols("f")]})
    assert np.allclose(numbers(A, VALUES), numbers(mine[0], VALUES), rtol=1e-12, atol=1e-13)
    assert np.allclose(numbers(B, VALUES), numbers(mine[1], VALUES), rtol=1e-12, atol=1e-13)
    assert [str(e) for e in mine[2]] == ["f"] and [str(e) for e in r] == ["f(t)"]


def test_matrices():
    x, y = ours.symbols("x y")
    M = kane.Matrix([[x, x * y], [0, y]])
    assert M.shape == (2, 2) and M[0, 1] == M[0][1] == x * y and M.T[1, 0] == x * y
    assert (M @ M)[0, 1] == x**2 * y + x * y**2 and (M * 2)[1, 1] == 2 * y and (M - M)[0, 0] == 0
    assert M.subs(x, 3)[0, 0] == 3 and M.subs({x: 3, y: 2})[0, 1] == 6 and M.diff(x)[0, 1] == y
    assert (M.inv() @ M)[0, 0] == 1 and (M.inv() @ M)[0, 1] == 0
    assert M.LUsolve([x, y])[1, 0] == 1 and M[:, 1].shape == (2, 1)
    assert M.free_symbols == {x, y} and "matrix" in M._repr_latex_()
    assert pickle.loads(pickle.dumps(M)) == M
    with pytest.raises(ValueError):
        M @ kane.Matrix([[1, 2, 3]])
    with pytest.raises(ValueError):
        kane.Matrix([[1, 2], [3]])
    with pytest.raises(IndexError):
        M[5, 5]


def test_what_programs_for_sympy_call():
    m, x = ours.symbols("m length", positive=True, real=True)
    e = m * x**2
    assert e.simplify() == e.expand() == kane.simplify(e) == e
    assert e.subs([(m, 2), (x, 3)]).evalf() == 18.0 and e.xreplace({m: 1}) == x**2
    q, u = ours.dynamicsymbols("q u", real=True)
    N = ours.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q, N.z])
    v = u * A.x + q * N.y
    assert v.subs(u, 0) == q * N.y and v.separate()[A] == u * A.x and v.free_dynamicsymbols(N) == {q, u}
    assert ours.find_dynamicsymbols(v, reference_frame=N) == {q, u} and ours.find_dynamicsymbols(m * u + x) == {u}
    assert ours.msubs([e, v], {m: 1, u: 0})[0] == x**2
    assert "\\mathbf" in v._repr_latex_() and float(N.x.angle_between(N.y)) == pytest.approx(np.pi / 2)
    D = ours.inertia(A, 1, 2, 3)
    assert D.dt(N).to_matrix(A)[0][1] == -q.diff() and D.express(N).to_matrix(A)[1][1] == 2
    P, O = ours.Point("P"), ours.Point("O")
    P.set_pos(O, x * N.x)
    assert ours.center_of_mass(O, ours.Particle("a", O, m), ours.Particle("b", P, m)) == x / 2 * N.x
    body = ours.RigidBody("B")
    assert body.mass == ours.symbols("B_mass") and body.inertia[1] is body.masscenter
    with pytest.raises(AttributeError, match="Mechanism"):
        ours.JointsMethod
    ours.init_vprinting()


def test_every_name_of_sympy_exists_or_is_explained():
    left = {"CoordinateSym", "vpprint", "mpprint", "vsstrrepr", "vector", "curl", "divergence", "gradient", "is_conservative",
            "is_solenoidal", "scalar_potential", "scalar_potential_difference"}  # fields; printing in two dimensions
    missing = [n for n in their.__all__ if n not in left and not hasattr(ours, n) and n not in ours._ABSENT]
    assert missing == []


def test_ranges_and_replacements_as_in_sympy():
    for names in ("x", "x,", "q:1", "q:3", "q1:3", "m:2 g", "a:c", "x(1:3)", "x y"):
        for mine, his in ((kane.symbols(names), sympy.symbols(names)), (ours.dynamicsymbols(names), their.dynamicsymbols(names))):
            many = isinstance(his, (tuple, list))
            assert isinstance(mine, tuple) == many, names
            assert [str(e) for e in mine] == [str(e).replace("(t)", "") for e in his] if many else str(mine) == str(his).replace("(t)", "")
    assert len(kane.symbols(["x", "y:2"])) == len(sympy.symbols(["x", "y:2"]))
    x, y, z = kane.symbols("x y z")
    hx, hy, hz = sympy.symbols("x y z")
    assert str((x * y).subs([(x, y), (y, z)])) == str((hx * hy).subs([(hx, hy), (hy, hz)])).replace("**", "^")
    assert (x * y).subs([(x, y), (y, 3)]) == 9 and (x - 2 * y).subs({x: y, y: x}) == y - 2 * x
    assert (x + y).has(x) and not (x + y).has(z) and kane.Rational(1, 3) * 3 == 1 and (x * kane.S(2) / 4).count_ops() == 1
    assert list(np.sin(np.array([x, y]))) == [kane.sin(x), kane.sin(y)]
    with pytest.raises(ValueError, match="range"):
        kane.symbols("q:x1")
    frame = ours.ReferenceFrame("N")
    assert str(ours.inertia(frame, 1, x, 3)) == "(N.x|N.x) + x*(N.y|N.y) + 3*(N.z|N.z)"
    with pytest.raises(TypeError, match="Vector"):
        ours.dot(x, frame.x)
