"""Models: reading, evaluating, running, analysing."""

import copy
import os
import pickle
import shutil
import signal
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import kane

PENDULUM = """
kane: 1
name: pendulum
parameters: {m: 1.5 kg, l: 0.7 m, g: 9.81 m/s^2, b: 0 N*m*s/rad}
inputs: {T: 0 N*m}
gravity: -g*N.y
bodies: {rod: {}}
particles: {bob: {mass: m, on: rod, at: [0, -l, 0]}}
joints: {pin: {type: revolute, parent: N, child: rod, axis: z, coordinate: q, speed: w}}
loads:
  - {torque: T - b*w, on: rod, axis: N.z}
"""


@pytest.fixture(scope="module")
def pendulum():
    return kane.loads(PENDULUM)


@pytest.fixture(scope="module")
def arm():
    return kane.load(kane.example("planar2r"))


def test_names(pendulum):
    assert pendulum.coordinates == ["q"] and pendulum.speeds == ["w"] and pendulum.inputs == ["T"]
    assert pendulum.parameters["l"] == 0.7
    assert pendulum.info()["units"]["l"] == "m"


def test_pendulum_closed_form(pendulum):
    for q, w, torque in [(0.3, 0.0, 0.0), (-2.0, 1.5, 0.4), (3.0, -4.0, -2.0)]:
        at = pendulum.evaluate(q=q, w=w, T=torque)
        m, l, g = 1.5, 0.7, 9.81
        assert at.udot[0] == pytest.approx((torque - m * g * l * np.sin(q)) / (m * l**2), rel=1e-13)
        assert at.kinetic == pytest.approx(0.5 * m * l**2 * w**2, rel=1e-13)


def test_states_nested_flat_and_lists_agree(pendulum):
    nested = pendulum.evaluate({"q": {"q": 0.4}, "parameters": {"m": 3}, "inputs": {"T": 1}})
    flat = pendulum.evaluate(q=0.4, m=3, T=1)
    several = pendulum.evaluate([{"q": {"q": 0.4}, "m": 3, "T": 1}, {"w": 2.0}])
    assert nested.udot[0] == flat.udot[0] == several[0].udot[0]
    assert several[1].u[0] == 2.0


def test_numpy_numbers_and_units_are_values(pendulum):
    assert pendulum.evaluate(q=np.float32(0.5)).q[0] == 0.5
    assert pendulum.evaluate(q="30 deg").q[0] == pytest.approx(np.pi / 6, rel=1e-15)


def test_simulate_conserves_energy_and_follows_the_period(pendulum):
    run = pendulum.simulate(5.0, q=1.0, columns=["energy"], tolerance=1e-11)
    energy = run["total"] if "total" in run else run[[c for c in run.columns if "total" in c][0]]
    assert np.ptp(energy) < 1e-8
    # Period by the arithmetic-geometric mean.
    a, b = 1.0, np.cos(0.5)
    for _ in range(8):
        a, b = (a + b) / 2, np.sqrt(a * b)
    period = 2 * np.pi * np.sqrt(0.7 / 9.81) / a
    crossings = run.t[:-1][(run["q"][:-1] > 0) & (run["q"][1:] <= 0)]
    assert np.diff(crossings).mean() == pytest.approx(period, abs=0.006)


def test_series_inputs_against_closed_form():
    model = kane.loads("kane: 1\nname: mass\nparameters: {m: 2 kg}\ninputs: {F: 0 N}\nbodies: {B: {mass: m}}\n"
                       "joints: {s: {type: prismatic, parent: N, child: B, axis: x, coordinate: x, speed: v}}\n"
                       "loads: [{force: F, joint: s}]\n")
    t = np.linspace(0, 2, 5)
    run = model.simulate(2.0, inputs={"F": (t, 3 * t)})
    assert run["v"][-1] == pytest.approx(3 * 2**2 / 2 / 2, rel=1e-8)
    assert run["x"][-1] == pytest.approx(3 * 2**3 / 6 / 2, rel=1e-8)


def test_controller_is_sampled_and_held(pendulum):
    seen = []

    def law(s):
        seen.append(s.t)
        return -0.5 * s["w"]
    run = pendulum.simulate(1.0, q=0.5, inputs={"T": law}, period=0.1)
    assert np.allclose(np.diff(np.unique(seen)), 0.1)
    assert abs(run["w"][-1]) < 5


def test_controller_errors_reach_the_caller(pendulum):
    with pytest.raises(ZeroDivisionError):
        pendulum.simulate(1.0, inputs={"T": lambda s: 1 / 0})
    with pytest.raises(kane.ModelError, match="answered 3 numbers|1 inputs"):
        pendulum.simulate(1.0, inputs={"T": lambda s: [1, 2, 3]})
    with pytest.raises(kane.ModelError, match="nan"):
        pendulum.simulate(1.0, inputs={"T": lambda s: float("nan")})


def test_stepwise_equals_the_whole_run(pendulum):
    run = pendulum.simulate(0.5, q=1.0, tolerance=1e-11)
    steps = kane.Simulation(pendulum, q=1.0, tolerance=1e-11)
    for _ in range(50):
        steps.advance(0.01)
    assert steps.t == pytest.approx(0.5)
    assert steps["q"] == pytest.approx(run["q"][-1], abs=1e-8)
    assert steps.state()["q"]["q"] == steps["q"]


def test_snapshot(arm):
    run = kane.Simulation(arm, q1=0.3)
    run.advance(0.1)
    kept = run.snapshot()
    run.advance(0.2)
    x = run["q1"]
    run.restore(kept)
    run.advance(0.2)
    assert run["q1"] == x


def test_inputs_on_the_way(pendulum):
    run = kane.Simulation(pendulum, q=0.0)
    run.set(T=1.5 * 9.81 * 0.7)  # holds it level if it is there; here it only turns it
    run.advance(0.01)
    assert run["T"] == pytest.approx(1.5 * 9.81 * 0.7)
    with pytest.raises(kane.ModelError):
        run.set(nothing=1)


def test_linearize(pendulum):
    lin = pendulum.linearize()
    assert np.allclose(lin.A, [[0, 1], [-9.81 / 0.7, 0]], rtol=1e-13)
    assert np.allclose(lin.B, [[0], [1 / (1.5 * 0.49)]], rtol=1e-13)
    assert np.allclose(sorted(lin.eigenvalues.imag), [-np.sqrt(9.81 / 0.7), np.sqrt(9.81 / 0.7)])


def test_equilibria(pendulum):
    found = pendulum.equilibrium(all=True).found
    angles = sorted(abs(np.angle(np.exp(1j * e.q["q"]))) for e in found)
    assert angles[0] == pytest.approx(0, abs=1e-9) and angles[-1] == pytest.approx(np.pi, abs=1e-9)
    assert pendulum.evaluate({"q": found[0].q}).udot[0] == pytest.approx(0, abs=1e-9)


def test_frequency_response_is_the_transfer_function(pendulum):
    bode = pendulum.frequency("q", "T", low=0.5, high=50, count=40)
    lin = pendulum.linearize()
    expected = [(np.linalg.solve(1j * w * np.eye(2) - lin.A, lin.B))[0, 0] for w in bode.omega]
    assert np.allclose(bode.response, expected, rtol=1e-8)


def test_inverse_gives_the_motion_back(arm):
    needed = arm.inverse({"q1": "0.4*sin(2*t)", "q2": "-0.5*t"}, until=1.0)
    run = arm.simulate(1.0, {"q": {"q1": 0, "q2": 0}, "u": {"u1": 0.8, "u2": -0.5}},
                       inputs={n: (needed.t, needed[n]) for n in ("TA", "TAB")})
    assert run["q1"][-1] == pytest.approx(0.4 * np.sin(2.0), abs=1e-4)


def test_sensitivity_against_differences(pendulum):
    exact = pendulum.sensitivity(["l"], ["q"], until=1.0, q=1.0).at_end[0, 0]
    h = 1e-5
    q = [pendulum.simulate(1.0, q=1.0, l=0.7 + d, tolerance=1e-12)["q"][-1] for d in (h, -h)]
    assert exact == pytest.approx((q[0] - q[1]) / (2 * h), rel=1e-5)


def test_fit_finds_the_length(pendulum):
    run = pendulum.simulate(2.0, q=1.0, l=0.8, output_step=0.05)
    fit = pendulum.fit({"l": (0.1, 2.0)}, {"t": run.t, "q": run["q"]}, q=1.0)
    assert fit.values["l"] == pytest.approx(0.8, rel=1e-6)


def test_jacobian_against_differences(arm):
    point = arm.info()["points"][-1]
    jacobian = arm.jacobian(point, state={"q1": 0.4, "q2": 0.7}).jacobian
    h = 1e-6
    for j, name in enumerate(("q1", "q2")):
        at = {"q1": 0.4, "q2": 0.7}
        ends = []
        for d in (h, -h):
            ends.append(np.array(arm.evaluate({**at, name: at[name] + d}).points[point]["position"]))
        expected = (ends[0] - ends[1]) / (2 * h)
        assert np.allclose(jacobian[:, j], expected, atol=1e-8)


def test_reach(arm):
    point = arm.info()["points"][-1]
    target = arm.evaluate(q1=0.4, q2=0.7).points[point]["position"]
    found = arm.reach({point: target}, q1=0.3, q2=0.5)
    assert not found["message"]


def test_events():
    run = kane.load(kane.example("bouncing_ball")).simulate(1.0)
    first = run.events[0]
    assert first["causes"] and first["t"] == pytest.approx(0.45152364, abs=1e-6)


def test_closed_loop_motion_function():
    model = kane.load(kane.example("fourbar"))
    at = model.evaluate()
    f = model.compile()
    x = np.concatenate([at.q, at.u])
    assert np.allclose(f(x), np.concatenate([at.qdot, at.udot]), rtol=1e-10, atol=1e-10)


def test_motion_function_many_states(arm):
    f = arm.compile()
    x = np.random.default_rng(1).normal(size=(203, 4))
    u = np.random.default_rng(2).normal(size=(203, 2))
    y = f(x, u)
    for i in (0, 7, 100, 202):
        at = arm.evaluate({"q": dict(zip(f.coordinates, x[i])), "u": dict(zip(f.speeds, x[i, 2:])),
                           "inputs": dict(zip(f.inputs, u[i]))})
        assert np.allclose(y[i], np.concatenate([at.qdot, at.udot]), rtol=1e-11, atol=1e-11)
        assert np.allclose(f(x[i], u[i]), y[i], rtol=1e-12, atol=1e-12)
    assert f(x.reshape(7, 29, 4), u.reshape(7, 29, 2)).shape == (7, 29, 4)
    assert np.allclose(f(np.asfortranarray(x), u), y)
    assert f(x[:0], u[:0]).shape == (0, 4)
    assert np.allclose(f(x, u[0]), [f(xi, u[0]) for xi in x])


def test_motion_function_parameters_and_derivatives(arm):
    f = arm.compile()
    x, u = np.array([0.2, -0.4, 1.0, 2.0]), np.array([0.5, -0.3])
    heavier = arm.evaluate({"q": {"q1": 0.2, "q2": -0.4}, "u": {"u1": 1, "u2": 2}, "inputs": {"TA": 0.5, "TAB": -0.3}, "m": 4})
    assert np.allclose(f(x, u, p={"m": 4})[2:], heavier.udot, rtol=1e-12)
    a, b = f.jacobian(x, u)
    h = 1e-6
    for j in range(4):
        d = np.eye(4)[j] * h
        assert np.allclose(a[:, j], (f(x + d, u) - f(x - d, u)) / (2 * h), atol=1e-6)
    for j in range(2):
        d = np.eye(2)[j] * h
        assert np.allclose(b[:, j], (f(x, u + d) - f(x, u - d)) / (2 * h), atol=1e-6)
    assert f.jacobian(np.tile(x, (5, 1)), u)[0].shape == (5, 4, 4)


def test_scipy_solver_agrees(pendulum):
    integrate = pytest.importorskip("scipy.integrate")
    f = pendulum.compile()
    answer = integrate.solve_ivp(f.rhs, (0, 1), [1.0, 0.0], rtol=1e-11, atol=1e-12)
    assert answer.y[0, -1] == pytest.approx(pendulum.simulate(1.0, q=1.0, tolerance=1e-11)["q"][-1], abs=1e-8)


def test_derivation(pendulum):
    page = pendulum.derive()
    assert "<html" in page.html.lower() and page.text
    assert page._repr_latex_().startswith("$$") and "<iframe" in page._repr_html_()


def test_export(pendulum, tmp_path):
    code = pendulum.export("c", tmp_path / "out")
    assert any(name.endswith(".c") for name in code.files) and len(code.written) == len(code.files)
    with pytest.raises(kane.ModelError):
        pendulum.export("cobol")


def test_show(pendulum):
    page = pendulum.show(0.2, q=1.0)
    assert "<html" in page.html.lower() and page._repr_html_().startswith("<iframe srcdoc=")


def test_results_iterate_over_their_columns(pendulum):
    run = pendulum.simulate(0.01)
    assert list(run) == run.keys() and np.array_equal(dict(run)["t"], run.t)
    assert list(pendulum.sweep({"l": [1.0, 2.0]}, "end(q)", until=0.01)) == ["l", "end(q)"]


def test_pandas(pendulum):
    pytest.importorskip("pandas")
    table = pendulum.simulate(0.1).to_pandas()
    assert table.index.name == "t" and list(table.columns)[:2] == ["q", "w"]


def test_errors_have_places(tmp_path):
    file = tmp_path / "bad.yaml"
    file.write_text("kane: 1\nbodies:\n  A: {mas: 1 kg}\n")
    with pytest.raises(kane.ModelError) as caught:
        kane.load(file)
    assert caught.value.file == str(file) and caught.value.line == 3 and caught.value.column
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.line == 3
    with pytest.raises(kane.ModelError):
        kane.load(tmp_path / "missing.yaml")


@pytest.mark.parametrize("name", ["planar2r", "fourbar", "bouncing_ball", "damped_pendulum", "rolling_disk"])
def test_models_can_be_pickled(name):
    try:
        model = kane.load(kane.example(name))
    except FileNotFoundError:
        pytest.skip("no such example")
    again = pickle.loads(pickle.dumps(model))
    a, b = model.evaluate(), again.evaluate()
    assert np.allclose(a.udot, b.udot, rtol=1e-12) and again.coordinates == model.coordinates


def test_results_can_be_pickled(pendulum):
    for thing in (pendulum.simulate(0.1), pendulum.linearize(), pendulum.evaluate(), pendulum.equilibrium()):
        again = pickle.loads(pickle.dumps(thing))
        assert type(again) is type(thing)


def test_settings(pendulum):
    assert kane.loads(PENDULUM, set={"m": 3, "l": "20 cm"}).parameters["l"] == pytest.approx(0.2)
    assert pendulum.with_options(set=["m=4"]).parameters["m"] == 4
    with pytest.raises(TypeError, match="formulation"):
        kane.loads(PENDULUM, formulatio="composite")


def test_interrupt(arm):
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        arm.simulate(1e7, output_step=1e6)
    assert time.monotonic() - begin < 20


@pytest.mark.parametrize("search", [
    lambda m: m.equilibrium(all=True, starts=100000), lambda m: m.root_locus("g", np.linspace(1, 9, 10**6)),
    lambda m: m.reach({"P2": (0.4, 0.1, None)}, all=True, starts=100000)], ids=["equilibrium", "root_locus", "reach"])
def test_interrupted_searches(arm, search):
    arm.linearize()  # what is compiled once is ready
    threading.Timer(0.03, lambda: os.kill(os.getpid(), signal.SIGINT)).start()  # the shortest search takes 0.2 s
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        search(arm)
    assert time.monotonic() - begin < 20


def test_failed_run_keeps_its_result():
    model = kane.loads("kane: 1\nname: runaway\nbodies: {B: {mass: 1 kg}}\n"
                       "joints: {s: {type: prismatic, parent: N, child: B, axis: x, coordinate: x, speed: v}}\n"
                       "loads: [{force: 100*(1 + x^2), joint: s}]\n")
    with pytest.raises(kane.RunError) as caught:
        model.simulate(100.0)
    assert len(caught.value.result) > 1
    assert model.simulate(100.0, check=False).failure


def test_export_in_other_forms(pendulum, tmp_path):
    fmu = pendulum.export("fmu", tmp_path / "p.fmu", fmi=3, kind="me", sources=True, binary=False)
    assert (tmp_path / "p.fmu").is_file() and "modelDescription.xml" in fmu.contents
    pendulum.export("page", tmp_path / "p.html")
    assert "<html" in (tmp_path / "p.html").read_text(encoding="utf-8").lower()
    unloaded = kane.loads("kane: 1\nname: rod\nbodies: {B: {mass: 1 kg, inertia: [1, 1, 1]}}\n"
                          "joints: {j: {type: revolute, parent: N, child: B, axis: z}}\n")
    assert any(name.endswith(".c") for name in unloaded.export("sdfast").files)
    assert "<iframe" in pendulum.page(q=1.0)._repr_html_()
    with pytest.raises(kane.ModelError):
        pendulum.export("page", tmp_path / "p.html")
    with pytest.raises(kane.ModelError, match="FMU"):
        pendulum.export("c", fmi=3)


def test_reactions_in_symbols(arm):
    import subprocess
    command = Path(os.environ.get("KANE_BUILD_DIR", "build")) / "bin" / "kane"
    if not command.is_file():
        pytest.skip("the command is not built")
    said = subprocess.run([command, "derive", kane.example("planar2r"), "--step", "8", "--reactions", "all"], check=True,
                          capture_output=True, text=True).stdout
    assert kane.load(kane.example("planar2r")).derive(steps=[8], reactions="all").text.strip() == said.strip()
    assert "reaction" in said.lower()
    with pytest.raises(kane.ModelError, match="did you mean 'elbow'"):
        kane.load(kane.example("planar2r")).derive(reactions=["elbo"])


def test_what_compile_refuses_is_named():
    with pytest.raises(kane.ModelError, match="rail.lower.*ignore_limits"):
        kane.load(kane.example("cartpole")).compile()
    with pytest.raises(kane.ModelError, match="'floor'.*no single function"):
        kane.load(kane.example("bouncing_ball")).compile()


def test_options_stay_with_a_model():
    """Pickled and derived again: limits stay left out, and the same bits on every machine."""
    cart = kane.load(kane.example("cartpole"), ignore_limits=True, strict=True)
    for other in (pickle.loads(pickle.dumps(cart)), cart.with_options(formulation="composite"), copy.deepcopy(cart)):
        assert other._options["strict"] is True
        f, g = cart.compile(), other.compile()
        assert np.allclose(f(f.x0 + 0.1), g(f.x0 + 0.1), rtol=1e-12)
    with pytest.raises(kane.ModelError, match="read it again"):
        cart.with_options(ignore_limits=False)
    with pytest.raises(TypeError, match="'keyframe'"):
        cart.with_options(keyframe="home")


def test_fmus_drive_inputs_when_they_may(tmp_path):
    """A controller that is an FMU made by Kane: a lag of first order with the gain k, at a sampling period far below its time."""
    if not any(shutil.which(c) for c in ("cc", "gcc", "clang")):
        pytest.skip("no C compiler")
    lag = kane.loads("kane: 1\nname: lag\nparameters: {k: 3, T: 0.2 s}\ninputs: {e: 0}\nstates: {y: {rate: (k*e - y)/T}}\noutputs: {u: y}\n")
    lag.export("fmu", tmp_path / "lag.fmu", kind="cs")
    text = """
kane: 1
name: driven
bodies: {{B: {{mass: 1 kg}}}}
inputs: {{F: {law}}}
joints: {{s: {{type: prismatic, parent: N, child: B, axis: x, coordinate: x, speed: v, actuator: F}}}}
{states}
initial: {{x: 0.3}}
"""
    (tmp_path / "driven.yaml").write_text(text.format(law="{fmu: lag.fmu, output: u, inputs: {e: -x}, step: 0.1 ms}", states=""))
    whole = kane.loads(text.format(law="y*1 N", states="states: {y: {rate: (-3*x/1 m - y)/0.2 s}}"))
    with pytest.raises(kane.ModelError, match="allow_fmu"):
        kane.load(tmp_path / "driven.yaml").simulate(0.5)
    driven = kane.load(tmp_path / "driven.yaml", allow_fmu=True).simulate(0.5)
    assert driven["x"][-1] == pytest.approx(whole.simulate(0.5)["x"][-1], abs=1e-4)


def test_results_in_notebooks():
    model = kane.load(kane.example("planar2r"))
    sweep = model.sweep({"m": np.linspace(1, 2, 20)}, "end(q1)", until=0.05)
    for result in (sweep,model.evaluate(q1=0.3), model.linearize(q1=-1.5708, equilibrium=True), model.simulate(0.1), model.forces(), model):
        page = result._repr_html_()
        assert page.startswith("<") and "<table>" in page and page.count("<tr>") == page.count("</tr>")
    assert "rad/s" in model.simulate(0.1)._repr_html_()
