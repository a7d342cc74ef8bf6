#!/usr/bin/env python3
"""Kane's compiled functions against sympy.lambdify(cse=True), for M x' = F of SymPy's KanesMethod: time to build the function, and
time for x' at one state and at each of many; and the mass matrix and right-hand side of the bicycle. PyDy's C code is not compared.

usage: PYTHONPATH=build/python bench/sympy_bench.py [LINKS ...]      (default: 2 5 10)
"""

import statistics
import sys
import time

import numpy as np
import sympy
from sympy.physics import mechanics as me

import kane


def chain(n):
    """A cart with n particles on massless links, as in SymPy's examples."""
    q, u = me.dynamicsymbols(f"q:{n + 1}"), me.dynamicsymbols(f"u:{n + 1}")
    force, t = me.dynamicsymbols("f"), me.dynamicsymbols._t
    m, l, g = sympy.symbols(f"m:{n + 1}"), sympy.symbols(f"l:{n}"), sympy.Symbol("g")
    frame, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(frame, 0)
    last = origin.locatenew("P0", q[0] * frame.x)
    last.set_vel(frame, u[0] * frame.x)
    parts, loads, kd = [me.Particle("C", last, m[0])], [(last, force * frame.x - m[0] * g * frame.y)], [q[0].diff(t) - u[0]]
    for i in range(n):
        link = frame.orientnew(f"B{i}", "Axis", [q[i + 1], frame.z])
        link.set_ang_vel(frame, u[i + 1] * frame.z)
        point = last.locatenew(f"P{i + 1}", l[i] * link.x)
        point.v2pt_theory(last, frame, link)
        parts.append(me.Particle(f"p{i + 1}", point, m[i + 1]))
        loads.append((point, -m[i + 1] * g * frame.y))
        kd.append(q[i + 1].diff(t) - u[i + 1])
        last = point
    method = me.KanesMethod(frame, q_ind=q, u_ind=u, kd_eqs=kd)
    method.kanes_equations(parts, loads)
    return method


def clock(work):
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def per_call(work, seconds=0.4):
    """The median of several rounds."""
    once = clock(work)[0]
    count = max(1, int(seconds / 5 / max(once, 1e-7)))
    return statistics.median(clock(lambda: [work() for _ in range(count)])[0] / count for _ in range(5))


def bicycle():
    """The mass matrix and right-hand side of the nonlinear bicycle, 9 speeds, derived by Kane and turned into SymPy's expressions:
    both compile the same expressions. SymPy's own derivation takes minutes and gives longer ones."""
    equations = kane.load(kane.example("bicycle_nonlinear")).equations()
    entries = [kane.to_sympy(e) for row in [*equations["M"], equations["rhs"]] for e in row]
    symbols = sorted(set().union(*(e.free_symbols for e in entries)), key=str)
    lambdify_time, theirs = clock(lambda: sympy.lambdify([symbols], sympy.Matrix(entries), cse=True))
    compile_time, ours = clock(lambda: kane.compile(sympy.Matrix(entries), [symbols]))
    random = np.random.default_rng(0)
    state = random.uniform(0.3, 0.9, len(symbols))
    expected, found = theirs(state).ravel(), ours(state).ravel()
    error = np.abs(found - expected).max() / np.abs(expected).max()
    states = random.uniform(0.3, 0.9, (20000, len(symbols)))
    one, two = per_call(lambda: theirs(state)), per_call(lambda: ours(state))
    many = per_call(lambda: ours(states)) / len(states)
    print(f"\nbicycle, {len(entries)} expressions of {len(symbols)} symbols: lambdify {lambdify_time * 1e3:.0f} ms, Kane {compile_time * 1e3:.1f} ms;"
          f" one state {one * 1e6:.1f} us, Kane {two * 1e6:.1f} us; each of 20000 {many * 1e6:.3f} us; difference {error:.1e}")


def main():
    sizes = [int(a) for a in sys.argv[1:]] or [2, 5, 10]
    print(f"SymPy {sympy.__version__}, NumPy {np.__version__}, Kane {kane.__version__}\n")
    print(f"{'links':>5} {'derive':>9} | {'lambdify':>9} {'kane':>9} {'ratio':>7} | {'one state':>10} {'kane':>9} {'ratio':>6} |"
          f" {'of 20000':>9} {'ratio':>7} | {'error':>8}")
    print(f"{'':5} {'SymPy, s':>9} | {'build, ms':>9} {'build, ms':>9} {'':7} | {'numpy, us':>10} {'us':>9} {'':6} | {'kane, us':>9}")
    for n in sizes:
        derive, method = clock(lambda: chain(n))
        mass, forcing = method.mass_matrix_full, method.forcing_full
        eom_time, eom = clock(lambda: kane.from_kanes_method(method))
        eom.set({p: 1 + 0.1 * i for i, p in enumerate(eom.parameters)})
        eom.set(f=0.3)
        state = np.random.default_rng(0).normal(size=len(eom.states))
        first = clock(lambda: eom.rhs(0.0, state))[0]  # solves in symbols and compiles
        arguments = [me.dynamicsymbols._t, eom.states, eom.specified, eom.parameters]
        lambdify_time, reference = clock(lambda: sympy.lambdify(arguments, [mass, forcing], cse=True))
        values = (0.0, state, [0.3], [eom.values[p] for p in eom.parameters])

        def numpy_rates():
            m, f = reference(*values)
            return np.linalg.solve(m, f).ravel()
        expected, found = numpy_rates(), eom.rhs(0.0, state)
        error = np.abs(found - expected).max() / np.abs(expected).max()
        theirs, ours = per_call(numpy_rates), per_call(lambda: eom.rhs(0.0, state))
        states = np.tile(state, (20000, 1)) + np.random.default_rng(1).normal(size=(20000, len(state))) * 0.1
        many = per_call(lambda: eom.rhs(0.0, states)) / len(states)
        build = eom_time + first
        print(f"{n:5} {derive:9.2f} | {lambdify_time * 1e3:9.1f} {build * 1e3:9.1f} {lambdify_time / build:6.0f}x |"
              f" {theirs * 1e6:10.1f} {ours * 1e6:9.2f} {theirs / ours:5.0f}x | {many * 1e6:9.3f} {theirs / many:6.0f}x | {error:8.1e}")
    bicycle()


if __name__ == "__main__":
    main()
