"""Kane's method by hand, against sympy.physics.mechanics on the same systems written with the same words."""

import numpy as np
import pytest

sympy = pytest.importorskip("sympy")
from sympy.physics import mechanics as their  # noqa: E402

import kane.mechanics as ours  # noqa: E402
from kane import ModelError, compile as kane_compile  # noqa: E402


def spring_chain(me, s):
    q1, q2, u1, u2 = me.dynamicsymbols("q1 q2 u1 u2")
    q1d, q2d = me.dynamicsymbols("q1 q2", 1)
    m, k, c = s("m k c")
    N = me.ReferenceFrame("N")
    P1, P2 = me.Point("P1"), me.Point("P2")
    P1.set_vel(N, u1 * N.x)
    P2.set_vel(N, (u1 + u2) * N.x)
    loads = [(P1, (-k * q1 - c * u1 + k * q2) * N.x), (P2, -k * q2 * N.x)]
    KM = me.KanesMethod(N, q_ind=[q1, q2], u_ind=[u1, u2], kd_eqs=[q1d - u1, q2d - u2])
    KM.kanes_equations([me.Particle("a", P1, m), me.Particle("b", P2, m)], loads)
    return KM


def double_pendulum(me, s):
    q1, q2, u1, u2 = me.dynamicsymbols("q1 q2 u1 u2")
    q1d, q2d = me.dynamicsymbols("q1 q2", 1)
    m, l, g, I = s("m l g I")
    N = me.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q1, N.z])
    B = N.orientnew("B", "Axis", [q2, N.z])
    A.set_ang_vel(N, u1 * N.z)
    B.set_ang_vel(N, u2 * N.z)
    O = me.Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", l * A.x)
    R = P.locatenew("R", l * B.x)
    P.v2pt_theory(O, N, A)
    R.v2pt_theory(P, N, B)
    body = me.RigidBody("rod", R, B, m, (me.inertia(B, 0, 0, I), R))
    KM = me.KanesMethod(N, q_ind=[q1, q2], u_ind=[u1, u2], kd_eqs=[q1d - u1, q2d - u2])
    KM.kanes_equations([me.Particle("a", P, m), body], [(P, m * g * N.x), (R, m * g * N.x), (B, -I * u2 * N.z)])
    return KM


def rolling_disk(me, s):
    q1, q2, q3, u1, u2, u3 = me.dynamicsymbols("q1 q2 q3 u1 u2 u3")
    q1d, q2d, q3d = me.dynamicsymbols("q1 q2 q3", 1)
    r, m, g = s("r m g")
    N = me.ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    L = Y.orientnew("L", "Axis", [q2, Y.x])
    R = L.orientnew("R", "Axis", [q3, L.y])
    w = R.ang_vel_in(N)
    kd = [w.dot(L.x) - u1, w.dot(L.y) - u2, w.dot(L.z) - u3]
    R.set_ang_vel(N, u1 * L.x + u2 * L.y + u3 * L.z)
    C = me.Point("C")
    C.set_vel(N, 0)
    D = C.locatenew("D", r * L.z)
    D.v2pt_theory(C, N, R)
    body = me.RigidBody("disk", D, R, m, (me.inertia(L, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4), D))
    KM = me.KanesMethod(N, q_ind=[q1, q2, q3], u_ind=[u1, u2, u3], kd_eqs=kd)
    KM.kanes_equations([body], [(D, -m * g * N.z)])
    return KM


def gimballed_body(me, s):
    """Three angles body-fixed, inertia about another point, speeds that are no rates."""
    a, b, c, u1, u2, u3 = me.dynamicsymbols("a b c u1 u2 u3")
    ad, bd, cd = me.dynamicsymbols("a b c", 1)
    m, I1, I2, I3, d, g = s("m I1 I2 I3 d g")
    N = me.ReferenceFrame("N")
    B = N.orientnew("B", "Body", [a, b, c], "123")
    w = B.ang_vel_in(N)
    kd = [w.dot(B.x) - u1, w.dot(B.y) - u2, w.dot(B.z) - u3]
    B.set_ang_vel(N, u1 * B.x + u2 * B.y + u3 * B.z)
    O = me.Point("O")
    O.set_vel(N, 0)
    C = O.locatenew("C", d * B.z)
    C.v2pt_theory(O, N, B)
    body = me.RigidBody("top", C, B, m, (me.inertia(B, I1, I2, I3, I1 / 10, I2 / 20, I3 / 30), O))
    KM = me.KanesMethod(N, q_ind=[a, b, c], u_ind=[u1, u2, u3], kd_eqs=kd)
    KM.kanes_equations([body], [(C, -m * g * N.z)])
    return KM


def knife_edge(me, s):
    """A dependent speed: no motion across the edge."""
    x, y, q, u1, u2, u3 = me.dynamicsymbols("x y q u1 u2 u3")
    xd, yd, qd = me.dynamicsymbols("x y q", 1)
    m, I, F = s("m I F")
    N = me.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q, N.z])
    A.set_ang_vel(N, u3 * N.z)
    P = me.Point("P")
    P.set_vel(N, u1 * N.x + u2 * N.y)
    body = me.RigidBody("skate", P, A, m, (me.inertia(A, 0, 0, I), P))
    across = P.vel(N).dot(A.y)
    KM = me.KanesMethod(N, q_ind=[x, y, q], u_ind=[u1, u3], kd_eqs=[xd - u1, yd - u2, qd - u3], u_dependent=[u2],
                        velocity_constraints=[across])
    KM.kanes_equations([body], [(P, F * N.x - m * N.y)])
    return KM


SYSTEMS = [spring_chain, double_pendulum, rolling_disk, gimballed_body, knife_edge]


@pytest.mark.parametrize("system", SYSTEMS)
def test_same_numbers_as_sympy(system):
    a, b = system(their, sympy.symbols), system(ours, ours.symbols)
    states = [*a.q, *a.u]
    numeric = b.compile()
    constants = [sympy.Symbol(str(p)) for p in numeric.parameters]
    reference = sympy.lambdify([states, constants], [a.mass_matrix_full, a.forcing_full])
    rng = np.random.default_rng(3)
    values = rng.uniform(0.5, 1.5, len(constants))
    numeric.set({str(p): v for p, v in zip(constants, values)})
    assert [str(e).replace("(t)", "") for e in states] == [str(e) for e in numeric.states]
    for _ in range(5):
        x = rng.uniform(-1, 1, len(states))
        mass, forcing = reference(x, values)
        expected = np.linalg.solve(np.array(mass, float), np.array(forcing, float)).ravel()
        assert np.allclose(numeric.rhs(0.0, x), expected, rtol=1e-10, atol=1e-10)
        assert np.allclose(np.linalg.solve(numeric.mass_matrix(x), numeric.forcing(x)), expected, rtol=1e-10, atol=1e-10)
        if system is not knife_edge:
            assert np.allclose(numeric.mass_matrix(x), np.array(mass, float), rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("kind, amounts, order", [
    ("Axis", "single", ""), ("Body", "three", "123"), ("Body", "three", "313"), ("Space", "three", "231"),
    ("Quaternion", "four", "")])
def test_orientations(kind, amounts, order):
    def make(me, sine, cosine):
        a, b, c = me.dynamicsymbols("a b c")
        N = me.ReferenceFrame("N")
        if amounts == "single":
            given = [a, N.x + 2 * N.y - 2 * N.z]
        elif amounts == "three":
            given = [a, b, c]
        else:
            given = [cosine(a), sine(a) * cosine(b), sine(a) * sine(b) * cosine(c), sine(a) * sine(b) * sine(c)]
        B = N.orientnew("B", kind, given, order)
        return (a, b, c), B.dcm(N), B.ang_vel_in(N).to_matrix(N)
    leaves, turn, rate = make(their, sympy.sin, sympy.cos)
    t = their.dynamicsymbols._t
    rates = [e.diff(t) for e in leaves]
    reference = sympy.lambdify([*leaves, *rates], [turn, rate])
    mine, my_turn, my_rate = make(ours, ours.sin, ours.cos)
    flat = [e for row in my_turn for e in row] + list(my_rate)
    flat = [e if hasattr(e, "infix") else ours.symbols("zero") * 0 + e for e in flat]
    f = kane_compile(flat, [*mine, *(e.diff() for e in mine)])
    x = np.array([0.4, 0.7, -0.3, 1.1, -0.9, 0.6])
    a, b = reference(*x)
    assert np.allclose(f(*x)[:9].reshape(3, 3), np.array(a, float), rtol=1e-12, atol=1e-13)
    assert np.allclose(f(*x)[9:], np.ravel(b), rtol=1e-12, atol=1e-12)


def test_vectors():
    a = ours.dynamicsymbols("a")
    N = ours.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [a, N.z])
    assert A.x.dot(N.y) == ours.sin(a) and (A.x ^ A.y) == A.z and (N.x & N.x) == 1
    assert A.x.cross(N.x).dot(N.z) == -ours.sin(a)
    assert A.x.dt(N) == a.diff() * A.y
    assert A.x.express(N).dot(A.x) == 1
    assert (A.x + N.x).magnitude() != 0
    assert str(0 * A.x) == "0"


def test_time_derivatives():
    q = ours.dynamicsymbols("q")
    t = ours.dynamicsymbols._t
    m = ours.symbols("m")
    assert (m * q**2).diff(t) == 2 * m * q * q.diff(t)
    assert q.diff(t, 2) == ours.dynamicsymbols("q", 2)
    assert (m * q).diff(m) == q


def test_auxiliary_speed_gives_the_force():
    q, u, ua, T = ours.dynamicsymbols("q u ua T")
    m, l, g = ours.symbols("m l g")
    N = ours.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q, N.z])
    A.set_ang_vel(N, u * N.z)
    O = ours.Point("O")
    O.set_vel(N, ua * A.x)
    P = O.locatenew("P", l * A.x)
    P.v2pt_theory(O, N, A)
    KM = ours.KanesMethod(N, q_ind=[q], u_ind=[u], kd_eqs=[q.diff() - u], u_auxiliary=[ua])
    KM.kanes_equations([ours.Particle("P", P, m)], [(P, m * g * N.x), (O, -T * A.x)])
    assert KM.auxiliary_eqs[0] == m * g * ours.cos(q) - T + m * l * u**2
    assert KM.forcing[0] == -m * g * l * ours.sin(q)


def test_mistakes_get_sentences():
    q, u = ours.dynamicsymbols("q u")
    N = ours.ReferenceFrame("N")
    with pytest.raises(ModelError, match="kinematical"):
        ours.KanesMethod(N, [q], [u])
    with pytest.raises(ModelError, match="linear"):
        ours.KanesMethod(N, [q], [u], kd_eqs=[q.diff()**2 - u])
    with pytest.raises(ModelError, match="not known"):
        ours.Point("P").vel(N)
    with pytest.raises(ModelError, match="not known"):
        ours.ReferenceFrame("A").dcm(N)
    with pytest.raises(TypeError):
        ours.KanesMethod(N, [3], [u], kd_eqs=[q])
    KM = ours.KanesMethod(N, [q], [u], kd_eqs=[q.diff() - u])
    with pytest.raises(ModelError, match="first"):
        KM.mass_matrix
    with pytest.raises(TypeError):
        N.x + 3
