"""The bridge to SymPy, compared with SymPy's own numbers."""

import numpy as np
import pytest

sympy = pytest.importorskip("sympy")
from sympy.codegen.cfunctions import Cbrt, exp2, expm1, fma, hypot, log1p, log2  # noqa: E402
from sympy.physics import mechanics as me  # noqa: E402

import kane  # noqa: E402

x, y, z = sympy.symbols("x y z")
POINT = (0.7, 1.3, 1.9)

EXPRESSIONS = [
    sympy.sin(x) * y + z**3, sympy.sqrt(x**2 + y**2), sympy.exp(-x) * sympy.log(y) / z, x**sympy.Rational(3, 2), x**y,
    sympy.atan2(x, y) + sympy.atan(z), sympy.asin(x / 2) + sympy.acos(y / 3), sympy.tan(x), 1 / (1 + x), x**-3,
    sympy.sinh(x) + sympy.cosh(y) * sympy.tanh(z), sympy.asinh(-x) + sympy.acosh(z + 1) + sympy.atanh(x / 3),
    sympy.cot(x) + sympy.sec(y) + sympy.csc(z), sympy.Abs(-x) + sympy.sign(-y) + sympy.floor(z) + sympy.ceiling(z),
    sympy.Mod(z, x), sympy.Max(x, y, z) - sympy.Min(x, y), sympy.pi * x + sympy.E * y + sympy.GoldenRatio,
    sympy.Heaviside(x - y), sympy.Float("0.1") * x + sympy.Rational(1, 3), sympy.Integer(10)**30 * x / 10**29,
    sympy.Piecewise((x, x < y), (y**2, z > 1), (z, True)), sympy.Piecewise((x, y < x), (z, True)),
    sympy.Piecewise((1, sympy.And(x < y, y < z)), (2, sympy.Or(x > 3, sympy.Not(y > 1))), (0, True)),
    sympy.Piecewise((1, sympy.Eq(x, y)), (2, sympy.Ne(x, z)), (3, True)), sympy.exp(sympy.sin(x * sympy.cos(y))),
    sympy.sinc(x), sympy.Integer(5), sympy.cbrt(z),
]


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_agrees_with_lambdify(expression):
    f = kane.compile(expression, [x, y, z])
    expected = float(expression.subs(dict(zip((x, y, z), map(sympy.Float, POINT)))).evalf(30))
    assert f(*POINT) == pytest.approx(expected, rel=1e-13, abs=1e-14)
    many = f(*(np.full(19, v) for v in POINT))
    assert many.shape == (19,) and np.allclose(many, expected, rtol=1e-13, atol=1e-14)


def test_powers_of_negative_numbers():
    """As with lambdify: whole powers have a sign, others are not numbers; 0^0 is 1."""
    f = kane.compile(x**y, [x, y])
    bases, exponents = np.meshgrid([-2.5, -1.0, -0.3, 0.0, 0.4, 3.0], [-3.0, -2.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0, 7.0])
    keep = (bases != 0) | (exponents >= 0)
    with np.errstate(invalid="ignore"):
        expected = np.power(bases[keep], exponents[keep])
    assert np.allclose(f(bases[keep], exponents[keep]), expected, rtol=1e-14, atol=0, equal_nan=True)
    assert f(-2.0, 3.0) == pytest.approx(-8, rel=1e-15) and f(0.0, 0.0) == 1.0
    slope = kane.compile([x**y], [x, y], jacobian=[x, y])
    assert slope(-2.0, 3.0)[0, 0] == pytest.approx(12, rel=1e-14)
    assert slope(2.0, 3.0).ravel() == pytest.approx([12, 8 * np.log(2)], rel=1e-14)
    positive = sympy.Symbol("p", positive=True)
    assert kane.compile(positive**y, [positive, y]).instructions < f.instructions


def test_special_functions_and_their_derivatives():
    special = pytest.importorskip("scipy.special")
    points = np.array([-3.3, -0.7, 0.2, 0.9, 2.5, 11.0])
    for e, value, slope in ((sympy.erf(x), special.erf, lambda v: 2 / np.sqrt(np.pi) * np.exp(-v * v)),
                            (sympy.erfc(x), special.erfc, lambda v: -2 / np.sqrt(np.pi) * np.exp(-v * v)),
                            (sympy.gamma(x), special.gamma, lambda v: special.gamma(v) * special.digamma(v)),
                            (sympy.loggamma(x), special.gammaln, special.digamma),
                            (sympy.factorial(x), lambda v: special.gamma(v + 1), lambda v: special.gamma(v + 1) * special.digamma(v + 1))):
        assert kane.compile(e, [x])(points) == pytest.approx(value(points), rel=1e-13), e
        assert kane.compile([e], [x], jacobian=[x])(points)[:, 0, 0] == pytest.approx(slope(points), rel=1e-12), e
    assert kane.from_sympy(sympy.erf(x) * 2) == 2 * kane.from_sympy(sympy.erf(x))


def test_expressions_that_are_worked_out():
    t = sympy.Symbol("t")
    q = sympy.Function("q")(t)
    m = sympy.MatrixSymbol("M", 2, 2)
    values = np.array([[1.0, 2.0], [3.0, 5.0]])
    assert kane.compile(sympy.Derivative(sympy.sin(x) * x, x), [x])(0.4) == pytest.approx(np.sin(0.4) + 0.4 * np.cos(0.4))
    assert kane.compile(sympy.Derivative(sympy.sin(q), t), [q, q.diff(t)])(0.4, 2.0) == pytest.approx(2 * np.cos(0.4))
    assert kane.compile(sympy.Subs(sympy.sin(y) * y, y, x), [x])(0.4) == pytest.approx(0.4 * np.sin(0.4))
    assert kane.compile([1 + sympy.Trace(m), 2 * sympy.Determinant(m)], [m])(values) == pytest.approx([7, -2])
    assert kane.compile(sympy.KroneckerDelta(x, y), [x, y])(np.arange(3.0), 1.0).tolist() == [0, 1, 0]
    assert np.isnan(kane.compile(sympy.Piecewise((x, x > 0), (sympy.nan, True)), [x])(-1.0))
    a = kane.symbols("a")
    assert kane.compile([1, a], [a])(2.0).tolist() == [1, 2]


REWRITTEN = [  # and the same with other functions
    (sympy.acoth(z) + sympy.asech(x / 4) + sympy.acsch(-y), sympy.atanh(1 / z) + sympy.acosh(4 / x) - sympy.asinh(1 / y)),
    (sympy.binomial(z, 2) + sympy.beta(x, y), z * (z - 1) / 2 + sympy.gamma(x) * sympy.gamma(y) / sympy.gamma(x + y)),
    (sympy.erf2(x, y), sympy.erf(y) - sympy.erf(x)), (sympy.RisingFactorial(z, y), sympy.gamma(z + y) / sympy.gamma(z)),
    (sympy.SingularityFunction(z, 1, 2), (z - 1)**2), (sympy.polygamma(0, z), sympy.digamma(z)),
    (sympy.jn(1, z), sympy.sin(z) / z**2 - sympy.cos(z) / z), (sympy.arg(x - y) + sympy.arg(z), sympy.pi),
    (expm1(x) + log1p(y) + hypot(x, z), sympy.exp(x) - 1 + sympy.log(1 + y) + sympy.sqrt(x**2 + z**2)),
    (log2(y) + exp2(z) + Cbrt(z) + fma(x, y, z), sympy.log(y, 2) + 2**z + sympy.cbrt(z) + x * y + z)]


@pytest.mark.parametrize("expression, same", REWRITTEN, ids=str)
def test_functions_that_have_another_form(expression, same):
    expected = float(same.subs(dict(zip((x, y, z), map(sympy.Float, POINT)))).evalf(30))
    assert kane.compile(expression, [x, y, z])(*POINT) == pytest.approx(expected, rel=1e-13)


def test_slope_of_digamma():
    special = pytest.importorskip("scipy.special")
    points = np.array([0.02, 0.7, 2.5, 11.9, 12.1, 40.0])
    slope = kane.compile([sympy.loggamma(x).diff(x)], [x], jacobian=[x])(points)[:, 0, 0]
    assert slope == pytest.approx(special.polygamma(1, points), rel=1e-14)
    f = kane.compile([sympy.polygamma(0, x)], [x], jacobian=[x])  # trigamma(1 - x) + trigamma(x) = (pi / sin(pi x))^2
    assert f(-0.3)[0, 0] + f(1.3)[0, 0] == pytest.approx((np.pi / np.sin(0.3 * np.pi))**2, rel=1e-14)


def test_logic():
    a, b, c = x < 0, y < 0, z < 0
    for e in (sympy.Xor(a, b, c), sympy.Implies(a, b), sympy.Equivalent(a, b, c), sympy.ITE(a, b, c), sympy.Nand(a, b, c),
              sympy.Contains(x, sympy.Union(sympy.Interval(-2, 0), sympy.Interval.open(1, 2)))):
        f = kane.compile(e, [x, y, z])
        for point in [(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]:
            assert f(*point) == bool(e.subs(dict(zip((x, y, z), point)))), (e, point)


def test_nested_arguments():
    f = kane.lambdify([(x, (y, [z])), sympy.IndexedBase("a", shape=(2,))], [x + 10 * y + 100 * z, sympy.IndexedBase("a", shape=(2,))[1]])
    assert f((1, (2, [3])), [4, 5]) == [321.0, 5.0]
    assert f([np.arange(3), (2, [3])], [4, 5])[0].tolist() == [320, 321, 322]
    for wrong in ((1, 2), (1, (2,)), 1, (1, (2, [3, 4]))):
        with pytest.raises((TypeError, ValueError)):
            f(wrong, [4, 5])


def random_expression(rng, depth):
    if depth == 0:
        return [x, y, z, x + sympy.Rational(int(rng.integers(1, 9)), 7), y * sympy.Float(float(rng.uniform(0.1, 2)))][rng.integers(0, 5)]
    a, b = random_expression(rng, depth - 1), random_expression(rng, depth - 1)
    kind = rng.integers(0, 9)
    return [a + b, a - b, a * b, a / (2 + sympy.cos(b)), sympy.sin(a) * b, sympy.sqrt(1 + a**2) + b, sympy.exp(-a**2) * b,
            sympy.tanh(a) + sympy.Abs(b), sympy.atan2(a, 1 + b**2)][kind]


def test_random_expressions():
    rng = np.random.default_rng(11)
    values = rng.uniform(0.2, 1.8, size=(40, 3))
    for _ in range(25):
        e = sympy.sympify(random_expression(rng, 4))
        f, g = kane.compile(e, (x, y, z)), sympy.lambdify((x, y, z), e, "numpy")
        expected = np.array([float(g(*row)) for row in values])
        assert np.allclose(f(*values.T), expected, rtol=1e-11, atol=1e-11), e


def test_structures_and_shapes():
    matrix = sympy.Matrix([[x, y], [x * y, sympy.sin(z)]])
    f = kane.compile(matrix, [x, y, z])
    assert np.allclose(f(1.0, 2.0, 3.0), [[1, 2], [2, np.sin(3)]])
    assert f(np.ones(5), 2.0, np.arange(5.0)).shape == (5, 2, 2)
    assert f(np.ones((2, 3)), 2, 3).shape == (2, 3, 2, 2)
    both = kane.compile([matrix, x + y], [[x, y], z])
    first, second = both(np.array([[1.0, 2.0], [3.0, 4.0]]), 0.5)
    assert first.shape == (2, 2, 2) and second.shape == (2,)
    column = kane.compile(sympy.Matrix([x, y, z]), sympy.Matrix([x, y, z]).T)
    assert column(np.arange(3.0)).shape == (3, 1)
    big = sympy.MatrixSymbol("A", 2, 2)
    assert kane.compile(big[0, 1] + big[1, 0], [big])(np.array([[1.0, 2.0], [3.0, 4.0]])) == 5.0
    assert kane.compile(x, x)(3) == 3.0


def test_functions_of_time():
    t = sympy.Symbol("t")
    q = sympy.Function("q")(t)
    f = kane.compile([q.diff(t) * q, q.diff(t, 2) + t], [t, q, q.diff(t), q.diff(t, 2)])
    assert f(1.0, 2.0, 3.0, 4.0) == [6.0, 5.0]


def test_jacobian():
    f = kane.compile([x**2 * y, sympy.sin(z) * x], [x, y, z], jacobian=[x, z])
    assert np.allclose(f(*POINT), [[2 * 0.7 * 1.3, 0], [np.sin(1.9), np.cos(1.9) * 0.7]])


@pytest.mark.parametrize("expression, word", [
    (sympy.besselj(0, x), "besselj"), (x + sympy.I, "real"), (sympy.Symbol("w"), "w"), (sympy.zeta(x), "zeta"),
    (sympy.Function("h")(x, y), "h"), (sympy.oo + x * 0, "oo"),
    (sympy.Integral(sympy.Function("h")(x), x), "h|Integral")])
def test_what_is_not_known_gets_a_sentence(expression, word):
    with pytest.raises(kane.ModelError, match=word):
        kane.compile(expression, [x, y])


def test_drop_in_for_lambdify():
    """The same call gives the same value."""
    M = sympy.MatrixSymbol("M", 2, 2)
    m = np.array([[1.0, 2.0], [3.0, 5.0]])
    k = sympy.Symbol("k", integer=True)
    cases = [(x, sympy.Piecewise((x, x < 1), (x**2, x < 3)), (2.0,)), ((x, y), (x < y), (1.0, 2.0)), ([(x, y), z], x + y * z, ((1, 2), 3)),
             ([sympy.Matrix([x, y])], sympy.Matrix([x * y, x]), (np.array([2.0, 3.0]),)), ([M], M.T * M, (m,)), ([M], M.inv(), (m,)),
             ([x], sympy.Sum(x**k, (k, 0, 4)), (0.5,)), ([x, y], sympy.Array([[x, y], [y, 1]]), (1.0, 2.0)),
             ([x, y], (x, y, 3), (1.0, 2.0)), ([x, y], "x*sin(y)", (1.0, 2.0))]
    for arguments, expression, values in cases:
        f = kane.lambdify(arguments, expression, modules="numpy", cse=True)
        assert np.allclose(np.array(f(*values), float), np.array(sympy.lambdify(arguments, expression)(*values), float)), expression
    assert kane.compile(sympy.Trace(M), [M])(m) == 6 and kane.compile(sympy.Determinant(M), [M])(m) == pytest.approx(-1)
    assert kane.compile(sympy.Integral(x * k, (k, 0, 2)), [x])(3.0) == 6
    open_end = kane.compile(sympy.Piecewise((x, x < 1)), [x])
    assert open_end(0.5) == 0.5 and np.isnan(open_end(2.0))
    column = kane.compile(x + y, [sympy.Matrix([x, y])])
    assert column(np.array([[1.0], [2.0]])) == column(np.array([1.0, 2.0])) == 3.0
    assert np.allclose(column(np.ones((4, 2, 1))), 2)
    for wrong in ({x: y}, sympy.IndexedBase("a")[0], sympy.DiracDelta(x)):
        with pytest.raises((TypeError, kane.ModelError)):
            kane.compile(wrong, [x, y])
    with pytest.raises(TypeError, match="MatrixSymbol"):
        kane.compile(x, [x, sympy.IndexedBase("a")])


def test_compiled_functions_can_be_pickled():
    import pickle
    f = kane.compile([sympy.Matrix([x, y]) * x, sympy.sin(y)], [x, y])
    g = pickle.loads(pickle.dumps(f))
    assert np.array_equal(f(2.0, 3.0)[0], g(2.0, 3.0)[0]) and f(2.0, 3.0)[1] == g(2.0, 3.0)[1]
    a, b = kane.symbols("a b")
    h = pickle.loads(pickle.dumps(kane.compile([a * b], [a, b])))
    assert h(2.0, 3.0)[0] == 6.0
    motion = kane.load(kane.example("planar2r")).compile()
    assert np.array_equal(pickle.loads(pickle.dumps(motion))(motion.x0), motion(motion.x0))


def test_both_ways():
    for e in EXPRESSIONS:
        if e.has(sympy.GoldenRatio):
            continue
        there = kane.from_sympy(e)
        back = kane.to_sympy(there)
        at = dict(zip((x, y, z), map(sympy.Float, POINT)))
        assert float(back.subs(at)) == pytest.approx(float(e.subs(at)), rel=1e-12), e
    t = sympy.Symbol("t")
    q = sympy.Function("q")(t)
    there = kane.from_sympy(q.diff(t)**2 * q)
    assert {s.name for s in there.free_symbols} == {"q", "q'"}
    assert kane.to_sympy(there, {"q": q, "q'": q.diff(t)}) == q.diff(t)**2 * q
    with pytest.raises(kane.ModelError, match="called"):
        kane.from_sympy(q + sympy.Symbol("q"))


def test_equal_expressions_meet():
    assert kane.from_sympy(sympy.sin(x)**2 + sympy.cos(x)**2) == 1
    assert kane.from_sympy((x + y)**2) == kane.from_sympy(sympy.expand((x + y)**2))


# ---- finished KanesMethod and LagrangesMethod ------------------------------------------------------------------------------

def chain(n):
    """A cart with n particles on massless links."""
    q, u = me.dynamicsymbols(f"q:{n + 1}"), me.dynamicsymbols(f"u:{n + 1}")
    force = me.dynamicsymbols("f")
    m, l, g = sympy.symbols(f"m:{n + 1}"), sympy.symbols(f"l:{n}"), sympy.Symbol("g")
    t = me.dynamicsymbols._t
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    cart = me.Point("P0")
    cart.set_pos(O, q[0] * N.x)
    cart.set_vel(N, u[0] * N.x)
    parts, loads, kd, last = [me.Particle("C", cart, m[0])], [(cart, force * N.x - m[0] * g * N.y)], [q[0].diff(t) - u[0]], cart
    for i in range(n):
        B = N.orientnew(f"B{i}", "Axis", [q[i + 1], N.z])
        B.set_ang_vel(N, u[i + 1] * N.z)
        P = last.locatenew(f"P{i + 1}", l[i] * B.x)
        P.v2pt_theory(last, N, B)
        parts.append(me.Particle(f"p{i + 1}", P, m[i + 1]))
        loads.append((P, -m[i + 1] * g * N.y))
        kd.append(q[i + 1].diff(t) - u[i + 1])
        last = P
    method = me.KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=kd)
    method.kanes_equations(parts, loads)
    return method


def disk():
    """Rolling without slipping: nonholonomic, with auxiliary velocities left out."""
    q1, q2, q3 = me.dynamicsymbols("q1 q2 q3")
    q1d, q2d, q3d = me.dynamicsymbols("q1 q2 q3", 1)
    u1, u2, u3 = me.dynamicsymbols("u1 u2 u3")
    r, m, g = sympy.symbols("r m g")
    N = me.ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    L = Y.orientnew("L", "Axis", [q2, Y.x])
    R = L.orientnew("R", "Axis", [q3, L.y])
    w = u1 * L.x + u2 * L.y + u3 * L.z
    R.set_ang_vel(N, w)
    C = me.Point("C")
    C.set_vel(N, 0)
    centre = C.locatenew("D", r * L.z)
    centre.v2pt_theory(C, N, R)
    inertia = me.inertia(L, m / 4 * r**2, m / 2 * r**2, m / 4 * r**2)
    kd = [me.dot(R.ang_vel_in(N) - w, uv) for uv in L]
    kd = [q1d - u3 / sympy.cos(q2), q2d - u1, q3d - u2 + u3 * sympy.tan(q2)]
    body = me.RigidBody("B", centre, R, m, (inertia, centre))
    method = me.KanesMethod(N, q_ind=[q1, q2, q3], u_ind=[u1, u2, u3], kd_eqs=kd)
    method.kanes_equations([body], [(centre, -m * g * Y.z)])
    return method


def lagrange(constrained):
    q1, q2 = me.dynamicsymbols("q1 q2")
    q1d, q2d = me.dynamicsymbols("q1 q2", 1)
    m, g, l = sympy.symbols("m g l")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", q1 * N.x + q2 * N.y)
    P.set_vel(N, q1d * N.x + q2d * N.y)
    particle = me.Particle("P", P, m)
    particle.potential_energy = m * g * q2
    lagrangian = me.Lagrangian(N, particle)
    if constrained:
        method = me.LagrangesMethod(lagrangian, [q1, q2], hol_coneqs=[q1**2 + q2**2 - l**2])
    else:
        method = me.LagrangesMethod(lagrangian, [q1, q2], forcelist=[(P, -q1d * N.x)], frame=N)
    method.form_lagranges_equations()
    return method


def joints():
    q1, q2, u1, u2 = me.dynamicsymbols("q1 q2 u1 u2")
    ground, arm, slider = me.Body("G"), me.Body("A"), me.Body("S")
    pin = me.PinJoint("pin", ground, arm, coordinates=q1, speeds=u1)
    slot = me.PrismaticJoint("slot", arm, slider, coordinates=q2, speeds=u2)
    slider.apply_force(-sympy.Symbol("k") * q2 * arm.x)
    method = me.JointsMethod(ground, pin, slot)
    method.form_eoms()
    return method


def auxiliary():
    """A pendulum on a pivot with an auxiliary speed, a torque that depends on time, an unknown force."""
    q, u, ua, force = me.dynamicsymbols("q u ua force")
    m, l, g = sympy.symbols("m l g")
    N = me.ReferenceFrame("N")
    A = N.orientnew("A", "Axis", [q, N.z])
    A.set_ang_vel(N, u * N.z)
    O = me.Point("O")
    O.set_vel(N, ua * N.x)
    P = O.locatenew("P", l * A.x)
    P.v2pt_theory(O, N, A)
    method = me.KanesMethod(N, q_ind=[q], u_ind=[u], kd_eqs=[q.diff() - u], u_auxiliary=[ua])
    method.kanes_equations([me.Particle("P", P, m)], [(P, m * g * N.x + force * N.y), (A, sympy.sin(me.dynamicsymbols._t) * N.z)])
    return method


def circle():
    """A particle on a circle: dependent coordinates and speeds."""
    q1, q2, u1, u2 = me.dynamicsymbols("q1 q2 u1 u2")
    m, g, l = sympy.symbols("m g l")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    P = O.locatenew("P", q1 * N.x + q2 * N.y)
    P.set_vel(N, u1 * N.x + u2 * N.y)
    method = me.KanesMethod(N, q_ind=[q1], q_dependent=[q2], u_ind=[u1], u_dependent=[u2], kd_eqs=[q1.diff() - u1, q2.diff() - u2],
                            configuration_constraints=[q1**2 + q2**2 - l**2], velocity_constraints=[q1 * u1 + q2 * u2])
    method.kanes_equations([me.Particle("P", P, m)], [(P, -m * g * N.y)])
    return method


@pytest.mark.parametrize("make", [joints, auxiliary, circle, lambda: chain(2), lambda: chain(5), lambda: chain(10), disk, lambda: lagrange(False),
                                  lambda: lagrange(True)], ids=["joints", "auxiliary", "circle", "chain2", "chain5", "chain10", "disk", "lagrange", "constrained"])
def test_finished_methods(make):
    method = make()
    eom = kane.from_kanes_method(method)
    rng = np.random.default_rng(5)
    eom.set({p: float(v) for p, v in zip(eom.parameters, rng.uniform(0.5, 2, len(eom.parameters)))})
    eom.set({s: 0.3 for s in eom.specified})
    states = rng.normal(size=(9, len(eom.states)))
    arguments = [me.dynamicsymbols._t, eom.states, eom.specified, eom.parameters]
    # With cse=True SymPy 1.11 writes derivatives of coordinates that Python cannot read.
    reference = sympy.lambdify(arguments, [method.mass_matrix_full, method.forcing_full],
                               cse=not isinstance(method, me.LagrangesMethod))
    p = [eom.values[e] for e in eom.parameters]
    rates = eom.rhs(0.0, states)
    for state, rate in zip(states, rates):
        mass, forcing = reference(0.0, state, [0.3] * len(eom.specified), p)
        scale = np.abs(mass).max()
        assert np.allclose(eom.mass_matrix(state), mass, rtol=1e-12, atol=1e-12 * scale)
        assert np.allclose(eom.forcing(state), np.ravel(forcing), rtol=1e-12, atol=1e-12 * np.abs(forcing).max())
        expected = np.linalg.solve(mass, forcing).ravel()[:len(eom.states)]
        assert np.allclose(rate, expected, rtol=1e-10, atol=1e-10 * np.abs(expected).max())
        assert np.allclose(eom.rhs(0.0, state), rate, rtol=1e-10, atol=1e-10 * np.abs(expected).max())


def test_parameters_must_be_given():
    eom = kane.from_kanes_method(chain(2))
    with pytest.raises(kane.ModelError, match="no value"):
        eom.rhs(0.0, np.zeros(6))
    with pytest.raises(kane.ModelError, match="do not contain"):
        eom.set(nothing=3)
    with pytest.raises(TypeError):
        kane.from_kanes_method(3)
    unfinished = me.JointsMethod(me.Body("G"), me.PinJoint("p", me.Body("A"), me.Body("B")))
    with pytest.raises(kane.ModelError, match="no equations yet"):
        kane.from_kanes_method(unfinished)


def test_specified_functions_follow_time():
    eom = kane.from_kanes_method(chain(2))
    eom.set({p: 1.0 for p in eom.parameters})
    eom.set(f=lambda t, state: 2 * t)
    at = eom.rhs(1.5, np.zeros(6))
    eom.set(f=3.0)
    assert np.allclose(eom.rhs(0.0, np.zeros(6)), at)
