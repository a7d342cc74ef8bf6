"""Mechanisms by code: the same equations as the files, and mistakes reported with the line of the program."""

import numpy as np
import pytest

import kane


def arm():
    m = kane.Mechanism("arm", gravity="-g*N.y")
    mass, length, _ = m.parameter("m", 1.3, "kg"), m.parameter("L", 0.7, "m"), m.parameter("g", 9.81, "m/s^2")
    m.input("TA", 0, "N*m")
    m.input("TAB", 0, "N*m")
    a, b = m.body("A"), m.body("B")
    m.particle("P1", mass=mass, on=a, at=[length, 0, 0])
    m.particle("P2", mass=mass, on=b, at=[length, 0, 0])
    m.revolute("shoulder", m.ground, a, axis="z", coordinate="q1", speed="u1", actuator="TA")
    m.revolute("elbow", a, b, at=[length, 0, 0], axis="z", coordinate="q2", speed="u2", actuator="TAB")
    m.output("height", "dot(position(P2), N.y)")
    m.initial(q1="30 deg")
    return m


def test_closed_form():
    model = arm().model()
    q1, q2, u1, u2, m, l, g = 0.4, 0.8, 1.1, -0.6, 1.3, 0.7, 9.81
    at = model.evaluate(q1=q1, q2=q2, u1=u1, u2=u2)
    expected = m * l**2 * np.array([[3 + 2 * np.cos(q2), 1 + np.cos(q2)], [1 + np.cos(q2), 1]])
    assert np.allclose(at.M, expected, rtol=1e-13)
    gravity = m * g * l * np.array([2 * np.cos(q1) + np.cos(q1 + q2), np.cos(q1 + q2)])
    coriolis = m * l**2 * np.sin(q2) * np.array([-u2 * (2 * u1 + u2), u1**2])
    assert np.allclose(at.udot, np.linalg.solve(expected, -gravity - coriolis), rtol=1e-12)
    assert at.outputs["height"] == pytest.approx(l * (np.sin(q1) + np.sin(q1 + q2)), rel=1e-14)
    assert model.evaluate().q[0] == pytest.approx(np.pi / 6)


def test_yaml_says_the_same():
    m = arm()
    a, b = m.model().evaluate(q2=0.3), kane.loads(m.to_yaml()).evaluate(q2=0.3)
    assert np.allclose(a.udot, b.udot, rtol=1e-14)


def test_points_of_bodies_loops_and_springs():
    m = kane.Mechanism("loop")
    crank = m.body("crank", mass="1 kg", inertia=[0, 0, 0.01])
    pin = crank.point("pin", [0.04, 0, 0])
    slider = m.body("slider", mass=0.4)
    m.revolute("main", None, crank, axis="z", coordinate="phi")
    m.prismatic("bore", None, slider, axis="x", coordinate="s")
    m.load("spring", spring="20 N/m", joint="bore")
    m.constraint("yoke", point=pin, reference=slider, directions=["N.x"])
    m.initial(phi="60 deg")
    model = m.model()
    at = model.evaluate()
    assert at.q[model.coordinates.index("s")] == pytest.approx(0.02, abs=1e-12)


def test_mistakes_point_into_the_program():
    m = kane.Mechanism("bad")
    m.body("A", mas=1)
    m.revolute("j", None, "A", axis="z")
    with pytest.raises(kane.ModelError, match="mas") as caught:
        m.model()
    assert caught.value.file.endswith("test_mechanism.py")
    with open(caught.value.file) as file:
        assert 'm.body("A", mas=1)' in file.read().splitlines()[caught.value.line - 1]


def test_wrong_values_get_sentences():
    m = kane.Mechanism("bad")
    for value in (object(), float("nan"), {1, 2}):
        with pytest.raises(kane.ModelError):
            m.body("A", mass=value)
    m.body("A")
    with pytest.raises(kane.ModelError, match="already"):
        m.body("A")
    with pytest.raises(kane.ModelError, match="gravity"):
        m.section(gravty="-g*N.y")
    with pytest.raises(kane.ModelError):
        m.body(3)


@pytest.mark.parametrize("kind", ["weld", "revolute", "prismatic", "cylindrical", "spherical", "planar", "free", "bushing"])
def test_every_joint(kind):
    m = kane.Mechanism(kind, gravity=[0, 0, -9.81])
    body = m.body("B", mass=2, inertia=[0.1, 0.2, 0.3])
    getattr(m, kind)("j", m.ground, body)
    expected = {"weld": 0, "revolute": 1, "prismatic": 1, "cylindrical": 2, "spherical": 3, "planar": 3, "free": 6, "bushing": 6}
    assert len(m.model().speeds) == expected[kind]
