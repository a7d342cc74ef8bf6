"""Wrong types and shapes, threads, and memory over many models: exceptions, never a crash."""

import gc
import random
import threading

import numpy as np
import pytest

import kane

TEXT = """
kane: 1
name: p
parameters: {l: 1 m}
inputs: {T: 0 N*m}
bodies: {B: {mass: 1 kg, inertia: [0, 0, 1], com: [l, 0, 0]}}
gravity: -9.81*N.y
joints: {j: {type: revolute, parent: N, child: B, axis: z, coordinate: q, speed: u, actuator: T}}
"""
ODD = [None, True, 0, -1, 10**400, 1.5, float("nan"), float("inf"), "", "q", "\x00", "é", b"bytes", [], [1], ["q"], {}, {"q": 1},
       {1: 2}, (), (1, 2), object(), lambda *a: 0, np.zeros(0), np.zeros(3), np.zeros((2, 2)), np.array(["a"]), np.array(1j),
       np.zeros((3, 2), order="F"), np.arange(4), np.zeros(2, dtype=">f8"), np.array([None]), set(), range(3), 1j, type, kane]
ALLOWED = (TypeError, ValueError, KeyError, AttributeError, RuntimeError, IndexError, OverflowError, OSError, ImportError,
           NotImplementedError, UnicodeError, ZeroDivisionError)


@pytest.fixture(scope="module")
def model():
    return kane.loads(TEXT)


def attempt(call):
    try:
        return call()
    except ALLOWED:
        return None


def test_functions_with_wrong_shapes(model):
    f = model.compile()
    for a in ODD:
        for b in ODD:
            attempt(lambda: f(a, b))
            attempt(lambda: f(np.zeros(2), np.zeros(1), a, b))
            attempt(lambda: f.jacobian(a, b))
        attempt(lambda: f.rhs(a, a))
    assert f(np.zeros(2)).shape == (2,)
    with pytest.raises(ValueError, match="last axes"):
        f(np.zeros(3))
    with pytest.raises(ValueError, match="rows"):
        f(np.zeros((5, 2)), np.zeros((4, 1)))
    with pytest.raises(ValueError, match="rows"):
        f(np.zeros((0, 2)), np.zeros((4, 1)))
    with pytest.raises(TypeError):
        f(np.zeros(2) * 1j)


def test_every_method_with_odd_arguments(model):
    random.seed(4)
    names = ["evaluate", "forces", "jacobian", "reach", "linearize", "root_locus", "equilibrium", "frequency", "inverse",
             "sensitivity", "fit", "derive", "export", "with_options", "sweep"]
    for name in names:
        for _ in range(60):
            arguments = [random.choice(ODD) for _ in range(random.randint(0, 3))]
            attempt(lambda: getattr(model, name)(*arguments))
    loop = kane.Ticks(model, free_rows=1)
    for a in ODD:
        attempt(lambda: model.simulate(a if not isinstance(a, (int, float)) else "x"))
        attempt(lambda: model.simulate(0.01, a))
        attempt(lambda: model.simulate(0.01, inputs=a))
        attempt(lambda: model.simulate(0.01, inputs={"T": a}))
        attempt(lambda: model.simulate(0.01, q=a, method=a))
        attempt(lambda: model.simulate(0.01, tolerance=a))
        attempt(lambda: model.simulate(0.01, output_step=a) if not isinstance(a, float) or a > 1e-3 else None)
        attempt(lambda: kane.Simulation(model, a))
        attempt(lambda: kane.Simulation(a))
        attempt(lambda: kane.Ticks(a))
        attempt(lambda: kane.Ticks(model, a))
        attempt(lambda: kane.Ticks(model, period=a))
        attempt(lambda: kane.Ticks(model, free_rows=a, max_events=a))
        attempt(lambda: kane.Ticks(model, inputs={"T": a}).tick(2))
        attempt(lambda: loop.tick(a) if not isinstance(a, int) or a < 10 else None)
        attempt(lambda: (loop.set(T=a), loop.apply(T=a)))
        attempt(lambda: (loop.impose(a), loop.release(a)))
        attempt(lambda: (loop.stage(a), loop.force(a)))
        attempt(lambda: model.haptics(a if not isinstance(a, float) or a > 10 else 0.01))
        attempt(lambda: model.sweep({"l": a}, "end(q)", until=0.01))
        attempt(lambda: model.sweep({"l": [1.0]}, a, until=0.01))
        attempt(lambda: model.sweep(a, "end(q)", until=0.01, cases=a))
        attempt(lambda: model.sweep({"l": [1.0]}, "end(q)", 0.01, a, lanes=a))
        attempt(lambda: kane.read_sweep(a))
    assert model.evaluate(q=0.0).udot[0] == pytest.approx(-9.81 / 2)


def test_expressions_with_odd_arguments():
    x = kane.symbols("x")
    for a in ODD:
        for operation in (lambda: x + a, lambda: a + x, lambda: x * a, lambda: x / a, lambda: a / x,
                          lambda: x ** a if not (isinstance(a, int) and abs(a) > 50) else None, lambda: kane.sin(a),
                          lambda: x.diff(a), lambda: x.subs(a), lambda: x.subs({x: a}), lambda: x == a, lambda: x < a,
                          lambda: kane.symbols(a), lambda: kane.parse(a), lambda: kane.atan2(a, x), lambda: kane.number(a),
                          lambda: kane.compile([x], a), lambda: kane.compile(a, [x]), lambda: kane.to_sympy(a),
                          lambda: kane.from_sympy(a), lambda: x.evaluate(a), lambda: kane.select(a, x, a)):
            attempt(operation)
    assert (x + 1).subs({x: 2}) == 3
    assert (x**3).diff(x, 900) == 0
    for times in (-1, 10**9, True):
        with pytest.raises(ValueError, match="times"):
            kane.exp(x).diff(x, times)
    for other in (kane, kane.loads(TEXT).evaluate(q=0.1), np.array(["a"]), object()):
        with pytest.raises(TypeError):
            kane.from_sympy(other)
        with pytest.raises(TypeError):
            kane.lambdify(other, x)
    with pytest.raises(kane.ModelError):
        x / 0
    with pytest.raises(TypeError):
        bool(x)


def test_readers_with_odd_arguments():
    for a in ODD:
        attempt(lambda: kane.loads(a))
        attempt(lambda: kane.loads(TEXT, a))
        attempt(lambda: kane.loads(TEXT, set=a))
        attempt(lambda: kane.loads(TEXT, set={"l": a}))
        attempt(lambda: kane.loads(TEXT, formulation=a))
        attempt(lambda: kane.Mechanism(a))
        attempt(lambda: kane.Mechanism("m").body("b", mass=a))
        attempt(lambda: kane.Mechanism("m").joint("j", a, a, a))
    for a in ODD:
        if not isinstance(a, (int, bool)):  # a number is the number of an open file
            attempt(lambda: kane.load(a))


def test_cut_texts_get_sentences():
    for end in range(0, len(TEXT), 7):
        try:
            kane.loads(TEXT[:end])
        except kane.ModelError:
            pass


def test_a_controller_cannot_use_its_own_simulation(model):
    box = []

    def law(s):
        if box:
            box[0].advance(0.01)
        return 0.0
    run = kane.Simulation(model, inputs={"T": law})
    box.append(run)
    with pytest.raises(kane.ModelError, match="calls it"):
        run.advance(0.1)


def test_threads_share_a_model(model):
    f = model.compile()
    x = np.random.default_rng(0).normal(size=(2000, 2))
    expected = f(x)
    reference = model.simulate(0.3, q=1.0)["q"][-1]
    failures = []

    def work(seed):
        try:
            for _ in range(5):
                assert np.array_equal(f(x), expected)
                assert model.simulate(0.3, q=1.0)["q"][-1] == reference
                model.evaluate(q=0.1 * seed)
                y = kane.symbols(f"y{seed}")
                assert kane.compile([kane.sin(y) * seed], [y])(0.5)[0] == pytest.approx(np.sin(0.5) * seed)
                kane.loads(TEXT, set={"l": 1 + seed / 10}).linearize(equilibrium=True)
        except Exception as error:  # noqa: BLE001
            failures.append(error)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_one_simulation_used_by_two_threads(model):
    run = kane.Simulation(model, q=1.0)
    threads = [threading.Thread(target=lambda: [run.advance(1e-3) for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert run.t == pytest.approx(0.2)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_memory_stays_flat():
    def once():
        made = kane.loads(TEXT)
        made.evaluate(q=0.3)
        made.simulate(0.01)
        made.compile()(np.zeros(2))
        x = kane.symbols("x")
        kane.compile([kane.sin(x)**3], [x])(0.3)
        try:
            made.evaluate(nothing=1)
        except kane.ModelError:
            pass
    for _ in range(40):
        once()
    gc.collect()
    before = resident()
    for _ in range(300):
        once()
    gc.collect()
    assert resident() - before < 8e6


def test_many_models_of_one_file():
    text = kane.loads(TEXT).to_yaml()
    gc.collect()
    for _ in range(60):
        kane.loads(text)
    before = resident()
    for _ in range(1000):
        kane.loads(text)
    gc.collect()
    assert resident() - before < 8e6


def test_complex_numbers_are_refused(model):
    for call in (lambda: model.sweep({"l": [1 + 1j]}, "end(q)", until=0.01), lambda: model.evaluate(q=1j),
                 lambda: model.evaluate(q=np.complex128(1 + 1j)),
                 lambda: model.simulate(0.01, inputs={"T": ([0, 1], np.array([1j, 2]))}), lambda: model.with_options(set={"l": 1j}),
                 lambda: model.fit({"l": None}, {"t": np.arange(2.0), "q": np.ones(2) * 1j})):
        with pytest.raises((TypeError, kane.ModelError)):
            call()


def test_options_of_a_wrong_type_are_named(model):
    for call, name in ((lambda: model.simulate("2"), "until"), (lambda: model.simulate(1, tolerance=[1]), "tolerance"),
                       (lambda: model.simulate(1, method=3), "method"), (lambda: model.linearize(steady="no"), "steady"),
                       (lambda: model.equilibrium(open_loop=[]), "open_loop"), (lambda: kane.loads(TEXT, strict="a"), "strict")):
        with pytest.raises(TypeError, match=f"'{name}'"):
            call()
    with pytest.raises(kane.ModelError, match="did you mean 'tolerance'"):
        model.simulate(1, tolerence=1e-3)
