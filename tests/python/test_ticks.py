"""Ticks, haptic loops and sweeps against runs of the same models, and closed forms."""

import math
import threading

import numpy as np
import pytest

import kane

TEXT = """
kane: 1
name: slider
parameters: {m: 2 kg, k: 50 N/m}
inputs: {F: 0 N}
bodies: {B: {mass: m}}
joints: {j: {type: prismatic, parent: N, child: B, axis: x, coordinate: x, speed: v, stiffness: k, actuator: F}}
handle: {x: {position: x, stiffness: 300 N/m, damping: 1 N*s/m}}
"""


@pytest.fixture(scope="module")
def slider():
    return kane.loads(TEXT)


def test_ticks_follow_the_closed_form(slider):
    loop = kane.Ticks(slider, period=1e-3, x=0.1)
    report = loop.tick(500)
    assert report.ticks == 500 and report.status == "ok" and report.work["steps"] >= 1
    assert loop.t == pytest.approx(0.5)
    assert loop.q[0] == pytest.approx(0.1 * math.cos(5 * 0.5), abs=1e-9)


def test_handles_and_inputs_push(slider):
    loop = kane.Ticks(slider)
    assert loop.handles == ["x"]
    loop.apply(x=3.0)
    loop.set(F=2.0)
    loop.tick(300)
    x = 5.0 / 50 * (1 - math.cos(5 * 0.3))  # both are constant forces
    assert loop.handle("x") == (pytest.approx(x, rel=1e-6), pytest.approx(5.0 / 50 * 5 * math.sin(1.5), rel=1e-6))
    loop.restart(x=0.2)
    assert loop.q[0] == 0.2 and loop.t == 0
    with pytest.raises(kane.ModelError, match="did you mean 'x'|has no handle"):
        loop.apply(y=1.0)
    with pytest.raises(kane.ModelError, match="input"):
        loop.set(G=1.0)


def test_ticks_with_contact_against_a_run():
    model = kane.load(kane.example("bouncing_ball"))
    loop = kane.Ticks(model, period=1e-4)
    loop.tick(15000)
    run = model.simulate(1.5)
    assert loop.events >= 2
    assert loop.q[0] == pytest.approx(run["y"][-1], abs=1e-4)


def test_constraints_written_while_it_runs():
    arm = kane.load(kane.example("planar2r"))
    loop = kane.Ticks(arm, free_rows=1, q1=0.2, q2=0.5)
    place = loop.impose("q1 - q2")
    loop.tick()
    assert loop.stage(place) == "held"
    held = loop.q[0] - loop.q[1]
    loop.tick(100)
    assert loop.q[0] - loop.q[1] == pytest.approx(held, abs=1e-9)
    assert math.isfinite(loop.force(place)) and loop.force(place) != 0
    loop.release(place)
    loop.tick(100)
    assert loop.stage(place) == "free" and abs(loop.q[0] - loop.q[1] - held) > 1e-6
    for wrong in ("q1 +", "zz", "2"):
        with pytest.raises(kane.ModelError):
            loop.impose(wrong)
    for wrong in (-1, 1, 2**70, 1.5):
        with pytest.raises(kane.ModelError):
            loop.stage(wrong)


def test_controllers_in_ticks(slider):
    calls = []
    loop = kane.Ticks(slider, x=0.1, inputs={"F": lambda s: calls.append(s.t) or 50 * s["x"]}, sampling=1e-3)
    loop.tick(50)
    assert len(calls) == pytest.approx(50, abs=1)
    assert loop.q[0] == pytest.approx(0.1, abs=1e-6)  # the spring is compensated

    def fails(s):
        raise KeyError("no")
    with pytest.raises(KeyError):
        kane.Ticks(slider, inputs={"F": fails}).tick(5)


def test_one_loop_used_by_threads(slider):
    loop = kane.Ticks(slider, x=0.1)
    threads = [threading.Thread(target=lambda: [loop.tick(10) for _ in range(20)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert loop.t == pytest.approx(0.8)


def test_haptic_loop(slider):
    report = slider.haptics(1.0, amplitude=0.05, frequency=1.0)
    assert report.ticks == 1000 and report.axes[0]["largest_force"] > 0
    assert report.t == pytest.approx(1.0)
    with pytest.raises(kane.ModelError, match="positive"):
        slider.haptics(-1)
    with pytest.raises(kane.LimitError):
        slider.haptics(1e9)
    with pytest.raises(kane.ModelError):
        kane.load(kane.example("planar2r")).haptics(0.1)  # no handle


def test_sweep_keeps_series(slider):
    sweep = slider.sweep({"k": [10.0, 40.0]}, "end(x)", until=1.0, x=0.1, series={"place": "x", "pull": "-k*x"},
                         series_step=0.1, tolerance=1e-10)
    for run in (0, 1):
        table = sweep.series(run)
        alone = slider.simulate(1.0, x=0.1, k=float(sweep["k"][run]), output_step=0.1, tolerance=1e-10)
        assert table.columns == ["t", "place", "pull"] and np.allclose(table.t, alone.t)
        assert np.allclose(table["place"], alone["x"], atol=1e-7)
        assert np.allclose(table["pull"], -sweep["k"][run] * alone["x"], atol=1e-5)
    with pytest.raises(KeyError):
        sweep.series(5)
    joint = slider.sweep({"k,m": "normal([20, 1], [[4, 0.1], [0.1, 0.01]])"}, "end(x)", until=0.1, x=0.1, runs=4000,
                         sampling="sobol")
    assert np.allclose(np.cov(joint["k"], joint["m"]), [[4, 0.1], [0.1, 0.01]], rtol=0.02)
    assert joint.series_names == []


def test_sweep_is_the_same_as_single_runs(slider):
    stiffness, mass = [20.0, 50.0, 90.0], [1.0, 2.5]
    sweep = slider.sweep({"k": stiffness, "m": mass}, {"last": "end(x)", "most": "max(v)"}, until=1.0, x=0.1,
                         tolerance=1e-10)
    assert len(sweep) == 6 and sweep.ok.all() and set(zip(sweep["k"], sweep["m"])) == {(k, m) for k in stiffness for m in mass}
    for k, m, last in zip(sweep["k"], sweep["m"], sweep["last"]):
        assert last == pytest.approx(0.1 * math.cos(math.sqrt(k / m)), abs=1e-8)
        assert last == pytest.approx(slider.simulate(1.0, k=k, m=m, x=0.1, tolerance=1e-10)["x"][-1], abs=1e-8)
    frame = sweep.to_pandas() if pytest.importorskip("pandas") else None
    assert list(frame.columns) == ["k", "m", "last", "most", "ok"] and len(frame) == 6


def test_monte_carlo_repeats_and_has_its_moments(slider):
    a, b = (slider.sweep({"k": "normal(50, 2)"}, "end(x)", until=0.2, runs=2000, seed=7, threads=n, x=0.1) for n in (1, 2))
    assert np.array_equal(a.results, b.results) and np.array_equal(a.values, b.values)
    assert a["k"].mean() == pytest.approx(50, abs=0.2) and a["k"].std() == pytest.approx(2, rel=0.1)
    assert np.allclose(a["end(x)"], 0.1 * np.cos(np.sqrt(a["k"] / 2) * 0.2), atol=1e-6)


def test_cases_words_and_failures(slider):
    sweep = slider.sweep(cases={"k": [10.0, 20.0], "m": [1.0, 3.0]}, measures=["end(x)"], until=0.1, x=0.1)
    assert sweep["k"].tolist() == [10, 20] and sweep["m"].tolist() == [1, 3]
    sweep = slider.sweep({"run.method": "{rk4, dopri5}"}, "end(x)", until=0.1, x=0.1)
    assert sorted(sweep["run.method"]) == ["dopri5", "rk4"]
    sweep = slider.sweep({"m": [1.0, -1.0]}, "end(x)", until=0.1, x=0.1)
    assert sweep.ok.tolist() == [True, False] and math.isnan(sweep["end(x)"][1]) and sweep.failures[1]


def test_wrong_sweeps_get_sentences(slider):
    for wrong in (dict(vary={"zz": [1]}, measures="end(x)"), dict(vary={"k": [1]}, measures="end(x"),
                  dict(vary={"k": [float("nan")]}, measures="end(x)"), dict(vary={"k": [1]}),
                  dict(vary={"k": "1..2"}, measures="end(x)", runs=10**9), dict(vary={"k": [1]}, measures="end(x)", runs=-1),
                  dict(vary={"k": [1]}, measures="end(x)", lanes=-1), dict(vary={"k": [1]}, measures="end(x)", report="a.html"),
                  dict(vary={"k": [1]}, measures="end(x)", seed=1.5), dict(vary={}, measures="end(x)", cases={"k": [1], "m": [1, 2]}),
                  dict(vary={"k": "normal(1"}, measures="end(x)", runs=3)):
        with pytest.raises(kane.ModelError):
            slider.sweep(until=0.01, **wrong)


def test_missing_store_gets_a_sentence(tmp_path):
    with pytest.raises(kane.ModelError):
        kane.read_sweep(tmp_path / "nothing.db")
