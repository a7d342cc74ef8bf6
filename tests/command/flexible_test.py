#!/usr/bin/env python3
"""Flexible bodies through the command, against reference values (tests/oracles), textbooks and conservation laws.

usage: flexible_test.py KANE SOURCE [CHECK...]
"""

import csv
import io
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

KANE, SOURCE = sys.argv[1], Path(sys.argv[2])
PROBLEMS = []


def run(*arguments, text=None, fails=False):
    done = subprocess.run([KANE, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=120)
    if (done.returncode != 0) != fails:
        PROBLEMS.append(f"kane {' '.join(map(str, arguments))}: exit {done.returncode}: {done.stderr[:300]}")
    return done.stderr if fails else done.stdout


def near(what, found, expected, tolerance):
    if not abs(found - expected) <= tolerance * max(1, abs(expected)):
        PROBLEMS.append(f"{what}: {found!r} instead of {expected!r}")


def frequencies(text):
    values = json.loads(run("linearize", "-", "--json", text=text))["eigenvalues"]
    parts = [v if isinstance(v, list) else [v["re"], v["im"]] for v in values]
    return sorted(im for re, im in parts if im > 1e-9)


def supports_out_of_plane():
    """The link of the RP robot bends out of the plane as it does in it, while its base is too heavy to turn."""
    plane = (SOURCE / "models/elastic_rp_robot.yaml").read_text()
    plane = plane.replace("initial: {z1: 0.4, u5: 0.2, q2: 0.01, u4: 0.5}", "initial: {z1: 0.4}").replace(
        "IA: 0.8 kg", "IA: 1e12 kg").replace("inertia: [0, 0, IC]", "inertia: [IC, IC, IC]")
    out = plane
    for a, b in (("shapes: {y: [", "shapes: {z: ["), ("{translate: y, coordinate: z2}", "{translate: z, coordinate: z2}"),
                 ("{rotate: z, coordinate: theta2}", "{rotate: y, coordinate: theta2}"),
                 ("directions: [A.x, A.y]", "directions: [A.x, A.z]")):
        assert a in out, a
        out = out.replace(a, b)
    found, expected = ([f for f in frequencies(text) if f > 1] for text in (out, plane))
    if len(found) != 3 or len(expected) != 3:
        PROBLEMS.append(f"supports out of plane: {found} and {expected}")
    for one, other in zip(found, expected):
        near("frequency out of the plane", one, other, 1e-6)


BLADE = """
kane: 1
name: blade
parameters: {{EI: 7 N*m^2, rho: 0.3 kg/m, L: 2 m, R: {delta}*2, W: {gamma}*sqrt(7/0.3)/4}}
bodies: {{hub: {{}}, B: {{flexible: {{length: L, mass_per_length: rho, EI: EI, modes: {modes}{more}}}}}}}
joints:
  spin: {{type: revolute, parent: N, child: hub, axis: z, prescribe: W*t}}
  root: {{type: weld, parent: hub, at: [R, 0, 0], child: B}}
"""


def spinning_beam():
    """Flapwise and chordwise frequencies over spin and hub radius, for assumed modes and for the converged beam."""
    oracle = json.loads((SOURCE / "tests/oracles/rotating_beam.json").read_text())
    scale = math.sqrt(7 / 0.3) / 4
    for row in oracle["assumed_modes"]["frequencies"]:
        for n in (2, 5):
            text = BLADE.format(gamma=row["gamma"], delta=row["delta"], modes=f"{{z: {n}}}", more="")
            for found, expected in zip(frequencies(text), row[f"flapwise_nu{n}"], strict=True):
                near(f"flapwise {n} modes at {row['gamma']}", found / scale, expected, 1e-9)
        early = row["chordwise_premature_linearization_omega1_squared"]
        text = BLADE.format(gamma=row["gamma"], delta=row["delta"], modes=1, more=", premature: true")
        K = json.loads(run("linearize", "-", "--json", text=text))
        near(f"premature at {row['gamma']}", -K["A"][1][0] / scale**2, early, 1e-9)
    for row in oracle["frequencies"]:
        if row["gamma"] > 8:
            continue  # the first mode needs more than nine polynomials there
        text = BLADE.format(gamma=row["gamma"], delta=row["delta"], modes="{y: 9}", more=", shapes: polynomial")
        found = frequencies(text)
        for k in range(3):
            near(f"chordwise {k + 1} at {row['gamma']}", found[k] / scale, row["chordwise"][k], (1e-7, 1e-5, 1e-3)[k])


def spin_up():
    samples = json.loads((SOURCE / "tests/oracles/rotating_beam.json").read_text())["spin_up"]["samples"]
    model = SOURCE / "models/rotating_beam.yaml"
    out = run("simulate", model, "--until", 15, "--output-step", 2.5, "--tolerance", "1e-12", "--out", "-")
    rows = {float(r["t"]): r for r in csv.DictReader(io.StringIO(out))}
    for sample in samples:
        row = rows[sample["t"]]
        for k in range(3):
            near(f"q{k + 1} at {sample['t']}", float(row[f"q{k + 1}"]), sample["q"][k], 1e-11)
            near(f"u{k + 1} at {sample['t']}", float(row[f"u{k + 1}"]), sample["qdot"][k], 1e-10)
        near(f"tip at {sample['t']}", float(row["deflection"]), sample["tip_deflection"], 1e-11)


def buckling():
    """A clamped column with a load P at its free end: P = pi^2 EI/(4 L^2)."""
    text = """
kane: 1
name: column
parameters: {P: %.17g}
bodies: {B: {flexible: {length: 1, mass_per_length: 1, EI: 1, shapes: polynomial, modes: 6}, points: {tip: [1, 0, 0]}}}
joints: {root: {type: weld, parent: N, child: B}}
loads: [{force: -P*N.x, at: tip}]
"""
    euler = math.pi**2 / 4
    for share, stable in ((1 - 1e-6, True), (1 + 1e-6, False)):
        values = json.loads(run("linearize", "-", "--json", text=text % (share * euler)))["eigenvalues"]
        growth = max(v[0] if isinstance(v, list) else v["re"] for v in values)
        if (growth < 1e-5) != stable:
            PROBLEMS.append(f"buckling at {share} of Euler's load: growth {growth}")


RP = """
kane: 1
name: rp_kinematics
parameters: {LT: 0.25, LP: 0.3, L: 1.6, LC: 0.12, sG: %(s).17g, sP: %(sP).17g, sQ: %(sQ).17g}
bodies:
  A: {mass: 1, inertia: [1, 1, 1]}
  R:
    flexible:
      length: L
      mass_per_length: 1
      EI: 1
      shapes: {y: [(s/L)^2, (s/L)^3, (s/L)^4]}
      coordinates: [q1, q2, q3]
      exact: true
    points: {G: [sG, 0, 0], P: [sP, 0, 0], Q: [sQ, 0, 0]}
    frames: {fP: {at: [sP, 0, 0]}, fQ: {at: [sQ, 0, 0]}}
  C: {mass: 1, com: [LC, 0, 0], inertia: [1, 1, 1]}
joints:
  turn: {type: revolute, parent: N, child: A, axis: z, coordinate: theta1}
  ride:
    type: general
    parent: A
    at: [-LP, LT, 0]
    child: R
    motions: [{translate: -x, coordinate: z1}, {translate: y, coordinate: z2}, {rotate: z, coordinate: theta2}]
  flange: {type: weld, parent: R, at: [L, 0, 0], child: C}
speeds: {u1: q1', u2: q2', u3: q3', u4: theta1', u5: -z1', u6: z2', u7: theta2'}
outputs:
  G1: dot(velocity(G), R.x)
  G2: dot(velocity(G), R.y)
  C1: dot(velocity(C.com), R.x)
  C2: dot(velocity(C.com), R.y)
  wC: dot(omega(C), N.z)
  rowP: dot(velocity(P), fP.y)
  rowQ: dot(velocity(Q), fQ.y)
"""


def elastic_rp_robot():
    """Partial velocities and the rows of the supports (Buffinton 6.80, 6.99, 6.100): one speed at a time is 1."""
    oracle = json.loads((SOURCE / "tests/oracles/elastic_rp_robot.json").read_text())
    for k in oracle["kinematics"][:4]:
        q = dict(zip(("q1", "q2", "q3"), k["q"], strict=True))
        q |= {name: k[name] for name in ("theta1", "z1", "z2", "theta2")}
        states = [{"q": q, "u": {f"u{r}": float(r == c) for r in range(1, 8)}} for c in range(1, 8)]
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as model:
            model.write(RP % k)
            model.flush()
            found = json.loads(run("evaluate", model.name, "--state", "-", "--json", text=json.dumps(states)))
        rows = {"P": [], "Q": []}
        for c, one in enumerate(found):
            v = one["outputs"]
            if isinstance(v, list):
                v = {o["name"]: o["value"] for o in v}
            for i in range(2):
                near(f"vG_{c + 1}", v[f"G{i + 1}"], k["vG_r"][c][i], 1e-13)
                near(f"vC_{c + 1}", v[f"C{i + 1}"], k["vC_r"][c][i], 1e-13)
            near(f"omegaC_{c + 1}", v["wC"], k["omegaC_r"][c], 1e-13)
            for end in "PQ" if c != 3 else "":
                rows[end].append(v["row" + end])
        for end in "PQ":
            for c, (a, b) in enumerate(zip(rows[end], k["constraint_row_" + end], strict=True)):
                near(f"row {end}, column {c}", a, b, 1e-13)


def deploying_boom():
    """Nothing acts on the satellite from outside: its angular momentum stays while the boom comes out."""
    model = SOURCE / "models/deploying_boom.yaml"
    out = run("simulate", model, "--until", 6, "--output-step", 3, "--out", "-")
    spins = []
    for row in csv.DictReader(io.StringIO(out)):
        names = {"q": ("theta", "y", "phi", "boom_q1", "boom_q2", "boom_q3", "boom_q4", "sP", "sQ"),
                 "u": ("omega", "u_y", "u_phi", "boom_u1", "boom_u2", "boom_u3", "boom_u4", "u_sP", "u_sQ")}
        state = {"t": float(row["t"])} | {key: {n: float(row[n]) for n in all_} for key, all_ in names.items()}
        spins.append(json.loads(run("evaluate", model, "--state", "-", "--json", text=json.dumps(state)))["angular_momentum"][2])
    if len(spins) != 3:
        PROBLEMS.append(f"deploying boom: {len(spins)} samples")
    for spin in spins:
        near("angular momentum of the satellite", spin / spins[0], 1, 1e-6)


ELEMENTS = """
kane: 1
name: beam_of_elements
bodies: {B: {flexible: {length: 2, mass_per_length: 3, EI: 5, shapes: %s, elements: %s, modes: %d}}}
joints: {root: {type: weld, parent: N, child: B}}
"""


def elements():
    """Beams made of elements have the frequencies of the textbooks (Blevins, table 8-1), whatever their number and sizes."""
    pi = math.pi
    exact = {"cantilever": (1.87510406871196, 4.69409113297418), "pinned": (pi, 2 * pi),
             "clamped": (4.73004074486270, 7.85320462409584), "clamped-pinned": (3.92660231204792, 7.06858274562873)}
    for shapes, roots in exact.items():
        for division in ("3", "[0.5, 1.2]"):
            found = frequencies(ELEMENTS % (shapes, division, 5))
            for k, root in enumerate(roots):
                near(f"{shapes} beam of {division} elements, mode {k + 1}", found[k],
                     root**2 / 4 * math.sqrt(5 / 3), (2e-8, 1e-7)[k])
    model = ELEMENTS % ("pinned", "[0.5, 1.2]", 2)
    again = run("import", "-", text=model)
    for one, other in zip(frequencies(again), frequencies(model), strict=True):
        near("elements written and read again", one, other, 1e-12)


ROBOT = """
kane: 1
name: rp_frequencies
parameters: {LP: 0.3, LD: 0.35, L: 1.6, LC: 0.12, rho: 0.8, EI: 45, mC: 0.6, IC: 0.004, w: %(w)s, W: %(Omega)s}
bodies:
  A: {points: {P: [-LP, 0, 0], Q: [LD - LP, 0, 0]}}
  R:
    flexible: {length: L, mass_per_length: rho, EI: EI, elements: [w, w + LD], modes: {%(axis)s: 3}}
    points: {onP: [w, 0, 0], onQ: [sQ, 0, 0]}
  C: {mass: mC, com: [LC, 0, 0], inertia: [IC, IC, IC]}
extra_coordinates: [sQ]
joints:
  turn: {type: revolute, parent: N, child: A, axis: z, prescribe: W*t}
  ride:
    type: general
    parent: A
    at: [-LP, 0, 0]
    child: R
    motions: [{translate: x, coordinate: x}, {translate: %(axis)s, coordinate: v}, {rotate: %(turn)s, coordinate: a}]
  flange: {type: weld, parent: R, at: [L, 0, 0], child: C}
constraints:
  supportP: {point: R.onP, reference: A.P, directions: [A.x, A.%(axis)s]}
  supportQ: {point: R.onQ, reference: A.Q, directions: [A.x, A.%(axis)s]}
initial: {x: -%(w)s}
guess: {sQ: %(sQ)s}
"""


def robot_frequencies():
    """The link of the RP robot on its two supports, in the plane of the spin and out of it, against reference values."""
    for row in json.loads((SOURCE / "tests/oracles/elastic_rp_robot.json").read_text())["frequencies"]["values"]:
        if row["Omega"] not in (0, 10):
            continue
        for axis, turn, key in (("y", "z", "inplane"), ("z", "y", "out_of_plane")):
            text = ROBOT % (row | {"axis": axis, "turn": turn, "sQ": row["w"] + 0.35})
            found = frequencies(text)
            for k, tolerance in enumerate((1e-7, 1e-5, 1e-4)):
                near(f"robot at w = {row['w']}, spin {row['Omega']}, {key} {k + 1}", found[k],
                     math.sqrt(row["omega_squared_" + key][k]), tolerance)


def formulations():
    """The recursive formulations give the accelerations of the projection; a slide along a beam has none."""
    import random
    dice = random.Random(4)
    for name in ("flexible_arm", "bent_beam", "bracket/bracket"):
        model = SOURCE / f"models/{name}.yaml"
        start = json.loads(run("evaluate", model, "--json"))
        state = {"q": {q: v + dice.uniform(-1, 1) * (1e-3 if "_q" in q else 1) for q, v in zip(start["coordinates"], start["q"])},
                 "u": {u: dice.uniform(-0.1, 0.1) for u in start["speeds"]}}
        found = [json.loads(run("evaluate", model, "--state", "-", "--json", "--formulation", f, text=json.dumps(state)))["udot"]
                 for f in ("projection", "composite", "articulated")]
        size = max(map(abs, found[0]))
        for other in found[1:]:
            for a, b in zip(other, found[0], strict=True):
                near(f"accelerations of {name}", a / size, b / size, 1e-10)
    said = run("evaluate", SOURCE / "models/deploying_boom.yaml", "--formulation", "composite", fails=True)
    if "cannot be formulated by composite" not in said:
        PROBLEMS.append(f"composite for a boom that slides: {said.strip()}")


# Simeon's slider crank as published in the test set for initial value problems: lengthwise motion has 15 times its mass there,
# which particles on a second arm at the same angle add here, like the rotary inertia of the sections about the pin.
CRANK = """
kane: 1
name: flexible_slider_crank
parameters: {L1: 0.15 m, L: 0.3 m, w: 150 rad/s, b: 8 mm, rho: 7870 kg/m^3, E: 200 GPa, m3: 0.075552 kg}
let: {more: 14/15*rho*b^2*L}
bodies:
  crank: {inertia: [0, 0, 0.002727]}
  rod:
    flexible:
      length: L
      mass_per_length: rho*b^2
      EI: E*b^4/12
      EA: E*b^2
      shapes: {y: [sin(3.1415927*s/L), sin(2*3.1415927*s/L)], stretch: [4*s/L - 4*(s/L)^2, 2*(s/L)^2 - s/L]}
      coordinates: [q1, q2, q3, q4]
      premature: true
  slider: {mass: m3}
  second: {inertia: [0, 0, 0.0045339259 - rho*b^2*L^3/3]}
particles:
  one: {mass: more, on: second, at: [sqrt(8)*q3 + q4/sqrt(8), 0, 0]}
  two: {mass: more, on: second, at: [sqrt(15/8)*q4, 0, 0]}
joints:
  main: {type: revolute, parent: N, child: crank, axis: z, prescribe: w*t}
  pin: {type: revolute, parent: crank, at: [L1, 0, 0], child: rod, axis: z, coordinate: psi}
  guide: {type: prismatic, parent: N, child: slider, axis: x, coordinate: x3}
  wrist: {type: revolute, parent: rod, at: [L, 0, 0], child: slider, axis: z, close: true}
  copy: {type: revolute, parent: N, child: second, axis: z, coordinate: angle}
constraints: {same: {configuration: angle - psi - w*t}}
initial: {psi: 0, q3: 0.103339863e-4, q4: 0.169327969e-4, u1: 0.444896105, u2: 0.463434311e-2, u3: -0.178591076e-5, u4: -0.268938672e-5}
guess: {x3: 0.45}
simulate: {until: 0.1 s, tolerance: 1e-11}
"""


def slider_crank():
    """Positions at t = 0.1 against the published ones, integrated once more with more digits (oracles, published.md)."""
    expected = {"angle": -.3311734946276522, "x3": .1697373332525798, "q1": 1.893192938164e-4, "q2": 2.375751323352e-5,
                "q3": -5.323896758e-6, "q4": -8.363313256e-6}
    rows = list(csv.DictReader(io.StringIO(run("simulate", "-", "--output-step", 0.1, "--out", "-", text=CRANK))))
    for name, value in expected.items():
        near(f"slider crank, {name}", float(rows[-1][name]) / value, 1, 5e-7 if name == "q1" else 5e-8)


def four_bar():
    """The torque's work is the energy gained, and beams made of elements move like those of a few modes."""
    text = (SOURCE / "models/flexible_fourbar.yaml").read_text().replace("until: 1 s", "until: 0.15 s, tolerance: 1e-10")
    text = text.replace("strain: potential", "E: energy")
    fine = text.replace("shapes: pinned, modes: 2", "shapes: pinned, elements: 2, modes: 1").replace(
        "shapes: polynomial, modes: 3", "elements: 2, modes: 1")
    assert fine != text
    ends = []
    for model in (text, fine):
        rows = list(csv.DictReader(io.StringIO(run("simulate", "-", "--output-step", 0.15, "--out", "-", text=model))))
        first, last = ({k: float(v) for k, v in row.items()} for row in (rows[0], rows[-1]))
        near("work in the four-bar linkage", (last["E"] - first["E"]) / (0.3 * (last["q1"] - first["q1"])), 1, 1e-8)
        ends.append(last)
    for name in ("q1", "q2", "q3"):
        near(f"four-bar linkage of elements, {name}", ends[1][name], ends[0][name], 2e-3)


HINGED = """
kane: 1
name: hinged
bodies: {B: {flexible: {length: 1, mass_per_length: 1, EI: 1, shapes: polynomial, modes: 4}, points: {tip: [1, 0, 0]}}}
joints: {hinge: {type: revolute, parent: N, child: B, axis: z, coordinate: angle}}
loads: [{force: 0.4*N.y, at: tip}]
outputs: {E: energy, y: "dot(position(tip), N.y)"}
simulate: {until: 1 s, tolerance: 1e-10}
"""


def hinged():
    """A beam on a hinge without inertia, bent by slopes of a tenth and more, keeps its energy balance."""
    rows = list(csv.DictReader(io.StringIO(run("simulate", "-", "--output-step", 1, "--out", "-", text=HINGED))))
    first, last = ({k: float(v) for k, v in row.items()} for row in (rows[0], rows[-1]))
    near("energy of a hinged beam", (last["E"] - first["E"]) / (0.4 * (last["y"] - first["y"])), 1, 1e-7)


TIP_LOAD = """
kane: 1
name: tip_load
parameters: {L: 2 m, EI: 50 N*m^2, F: 3 N, E: 200 GPa, h: 10 mm}
bodies:
  B:
    flexible:
      length: L
      mass_per_length: 1
      EI: EI
      shapes: {y: [(s/L)^2, (s/L)^3]}
      coordinates: [a, b]
      diagrams: {sections: 4, modulus: E, fibres: [[h/2, 0], [-h/2, 0]]}
joints: {root: {type: weld, parent: N, child: B}}
simulate: {until: 1 ms}
"""


def diagrams():
    """Bending moment, shear and stress of a cantilever with a load at its tip, in outputs, tables and pages."""
    v = json.loads(run("evaluate", "-", "--set", "a=0.24", "--set", "b=-0.08", "--json", text=TIP_LOAD))["outputs"]
    if isinstance(v, list):
        v = {o["name"]: o["value"] for o in v}
    for k in range(5):
        s = k / 2
        near(f"moment at {s}", v[f"B.moment_z{k}"], 3 * (2 - s), 1e-12)
        near(f"shear at {s}", v[f"B.shear_y{k}"], 3, 1e-12)
        near(f"stress at {s}", v[f"B.stress1_{k}"] / 1e6, -2e5 * 0.005 * 3 * (2 - s) / 50, 1e-12)
        near(f"opposite stress at {s}", v[f"B.stress2_{k}"], -v[f"B.stress1_{k}"], 1e-12)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        table = run("simulate", "-", "--out", "-", "--report", page, text=TIP_LOAD)
        if "B.moment_z4" not in table.splitlines()[0]:
            PROBLEMS.append("the table has no diagrams")
        if '"B: bending moment about z"' not in page.read_text():
            PROBLEMS.append("the page has no diagrams")
    again = run("import", "-", text=TIP_LOAD)
    if json.loads(run("evaluate", "-", "--set", "a=0.24", "--set", "b=-0.08", "--json", text=again))["outputs"] != json.loads(
            run("evaluate", "-", "--set", "a=0.24", "--set", "b=-0.08", "--json", text=TIP_LOAD))["outputs"]:
        PROBLEMS.append("diagrams written and read again differ")
    cut = TIP_LOAD.replace("shapes: {y: [(s/L)^2, (s/L)^3]}\n      coordinates: [a, b]", "segments: 3\n      modes: 2")
    names = json.loads(run("evaluate", "-", "--json", text=cut))["outputs"]
    if not any("B.stress2_4" in str(n) for n in names):
        PROBLEMS.append(f"diagrams of segments: {names}")


def campbell():
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "campbell.svg"
        run("linearize", SOURCE / "models/rotating_beam.yaml", "--state", "-", "--sweep", "omega_s=0:12:3", "--picture", picture,
            "--orders", "1,2", text='{"t": 15}')
        drawing = picture.read_text()
        if drawing.count("<circle") != 15 or ">2x<" not in drawing or "written by Kane" not in drawing:
            PROBLEMS.append("the Campbell diagram is wrong")
    said = run("linearize", SOURCE / "models/rotating_beam.yaml", "--picture", "campbell.svg", fails=True)
    if "need --sweep" not in said:
        PROBLEMS.append(f"a picture without a sweep: {said.strip()}")


def damping():
    """Ratios by mode, for shapes that are not orthogonal too."""
    for shapes in ("shapes: polynomial, modes: 5", "elements: 2, modes: 1", "modes: 5"):
        for ratios in ("0.02", "[0.01, 0.02, 0.03, 0.04, 0.05]" if "elements" not in shapes else "[0.01, 0.02, 0.03, 0.04, 0.05, 0.06]"):
            text = ELEMENTS % ("pinned", "1", 1)
            text = text[:text.index("bodies")] + (
                "parameters: {EI: 5, L: 2}\nbodies: {B: {flexible: {length: L, mass_per_length: 3, EI: EI, %s, damping: %s}}}\n"
                % (shapes, ratios)) + text[text.index("joints"):]
            for change in ((), ("--set", "EI=7", "--set", "L=1")):
                values = json.loads(run("linearize", "-", "--json", *change, text=text))["eigenvalues"]
                pairs = [(v if isinstance(v, list) else [v["re"], v["im"]]) for v in values]
                found = [-re / math.hypot(re, im) for re, im in sorted(pairs, key=lambda v: v[1]) if im > 0]
                for k, ratio in enumerate(found):
                    near(f"damping {k + 1} of {shapes}", ratio, 0.02 if ratios == "0.02" else 0.01 * (k + 1), 1e-6)


STATIONS = """
kane: 1
name: stations
parameters: {L: 2 m, mass: 3 kg/m}
tables:
  mu: {x: [0, 0.7, 2], y: [1, 0.4, 0.9]}
  stiff: {x: [0, 0.35, 1], y: [9, 2, 1]}
bodies: {B: {flexible: {length: L, mass_per_length: mass*mu(s), EI: stiff(s/L), shapes: {y: [(s/L)^2, (s/L)^3]}}}}
joints: {root: {type: weld, parent: N, child: B}}
"""


def straight_lines(x, xs, ys):
    k = max(0, min(len(xs) - 2, sum(x >= a for a in xs[1:])))
    return ys[k] + (ys[k + 1] - ys[k]) * (x - xs[k]) / (xs[k + 1] - xs[k])


def integral(f, edges):
    """Gauss's rule with four nodes between the edges: exact for polynomials of the seventh degree."""
    nodes = [(-0.8611363115940526, 0.3478548451374538), (-0.3399810435848563, 0.6521451548625461),
             (0.3399810435848563, 0.6521451548625461), (0.8611363115940526, 0.3478548451374538)]
    return sum((b - a) / 2 * w * f((a + b) / 2 + (b - a) / 2 * x) for a, b in zip(edges, edges[1:]) for x, w in nodes)


def pair_frequencies(M, K):
    """Those of two amplitudes: det(K - w^2 M) = 0."""
    a = M[0][0] * M[1][1] - M[0][1]**2
    b = M[0][0] * K[1][1] + M[1][1] * K[0][0] - 2 * M[0][1] * K[0][1]
    c = K[0][0] * K[1][1] - K[0][1]**2
    root = math.sqrt(b * b - 4 * a * c)
    return [math.sqrt((b - root) / (2 * a)), math.sqrt((b + root) / (2 * a))]


def stations():
    """Tables of the arc length, with corners, against integrals between the corners; also in masses and parameters of rigid bodies."""
    for L in (2.0, 1.5):
        edges = sorted([0, 0.35 * L, 0.7, L])
        f = [lambda s: (s / L)**2, lambda s: (s / L)**3]
        dd = [lambda s: 2 / L**2, lambda s: 6 * s / L**3]
        mu = lambda s: 3 * straight_lines(s, [0, 0.7, 2], [1, 0.4, 0.9])
        EI = lambda s: straight_lines(s / L, [0, 0.35, 1], [9, 2, 1])
        M = [[integral(lambda s: mu(s) * a(s) * b(s), edges) for a in f] for b in f]
        K = [[integral(lambda s: EI(s) * a(s) * b(s), edges) for a in dd] for b in dd]
        for found, expected in zip(frequencies(STATIONS.replace("L: 2 m", f"L: {L} m")), pair_frequencies(M, K), strict=True):
            near(f"frequency of a beam with stations, length {L}", found, expected, 1e-10)
    rigid = """
kane: 1
name: rigid
parameters: {k: 0.5, m: mu(k)}
tables: {mu: {x: [0, 1], y: [3, 2]}}
bodies: {B: {mass: m, inertia: [mu(1), 2*m, 2*m]}}
joints: {slide: {type: prismatic, parent: N, child: B, axis: x, coordinate: x, stiffness: 10}}
"""
    near("mass by a table", frequencies(rigid)[0], 2, 1e-12)
    said = run("check", "-", text=STATIONS.replace("[9, 2, 1]", "[9, -2, 1]"), fails=True)
    if "stiffness EI = -" not in said or "at s = " not in said:
        PROBLEMS.append(f"a table that falls below zero: {said.strip()}")


OFFSET = """
kane: 1
name: offset
parameters: {L: 1.7 m, mu: 2.5 kg/m, e: 0.08 m, j: 0.012 kg*m, EI: 90 N*m^2, GJ: 40 N*m^2}
bodies:
  B:
    flexible:
      length: L
      mass_per_length: mu
      EI: EI
      GJ: GJ
      inertia: j
      offset: [e, 0]
      shapes: {z: [sin(pi*s/L), sin(2*pi*s/L)], twist: [sin(pi*s/L), sin(2*pi*s/L)]}
joints: {root: {type: weld, parent: N, child: B}}
"""


def offset():
    """Bending and twist of a beam on two forks whose mass is beside its axis: waves sin(n pi x/L) of both, coupled by mu e."""
    L, mu, e, j, EI, GJ = 1.7, 2.5, 0.08, 0.012, 90, 40
    expected = []
    for n in (1, 2):
        k = n * math.pi / L
        expected += pair_frequencies([[mu, mu * e], [mu * e, j + mu * e * e]], [[EI * k**4, 0], [0, GJ * k**2]])
    for found, value in zip(frequencies(OFFSET), sorted(expected), strict=True):
        near("frequency with an offset", found, value, 1e-10)
    again = run("import", "-", text=OFFSET)
    for one, other in zip(frequencies(again), frequencies(OFFSET), strict=True):
        near("offset written and read again", one, other, 1e-12)


STRIP = """
kane: 1
name: strip
parameters: {P: %.17g}
bodies:
  B:
    flexible:
      length: 1
      mass_per_length: 1
      EI: {y: 1e6, z: 1}
      GJ: 0.5
      inertia: 0.01
      shapes: polynomial
      modes: {y: 2, z: 5, twist: 5}
      coupled: true
points: {tip: {on: B, at: [1, 0, 0]}}
joints: {root: {type: weld, parent: N, child: B}}
loads: [{force: -P*N.y, at: tip}]
initial: {B_q1: %.17g, B_q2: %.17g}
"""


def lateral_buckling():
    """A strip on edge with a load at its tip buckles sideways at 2 x sqrt(EI GJ)/L^2, x being the first zero of the Bessel
    function J_-1/4 (Prandtl, Michell)."""
    def bessel(x):
        return sum((-1)**m / (math.factorial(m) * math.gamma(m + 0.75)) * (x / 2)**(2 * m) for m in range(30))
    low, high = 1.0, 2.5
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if bessel(middle) > 0 else (low, middle)
    critical = 2 * low * math.sqrt(0.5)
    for share, stable in ((1 - 1e-4, True), (1 + 1e-4, False)):
        text = STRIP % (share * critical, 0, 0)
        at = run("equilibrium", "-", "--json", text=text)
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as model:
            model.write(text)
            model.flush()
            values = json.loads(run("linearize", model.name, "--state", "-", "--json", text=at))["eigenvalues"]
        growth = max(v[0] if isinstance(v, list) else v["re"] for v in values)
        if (growth < 1e-4) != stable:
            PROBLEMS.append(f"lateral buckling at {share} of the critical load: growth {growth}")


PRINCETON = """
kane: 1
name: princeton
bodies:
  B:
    flexible:
      length: 0.508
      mass_per_length: 0.11
      EI: {y: %.17g, z: %.17g}
      GJ: %.17g
      inertia: 2e-6
      modes: 2
      segments: %d
points: {tip: {on: B, at: [0.508, 0, 0]}}
joints: {root: {type: weld, parent: N, child: B}}
loads: [{force: "%.17g*N.y + %.17g*N.z", at: tip}]
outputs: {tip: position(tip)}
"""


def rod_tip(length, stiffness, force, steps=200):
    """Tip of Kirchhoff's rod with a force at its tip: Runge and Kutta's method along the rod, Newton's for the tip's place."""
    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

    def shoot(tip):
        def rate(y):
            axes = [y[3:6], y[6:9], y[9:12]]
            moment = cross([a - b for a, b in zip(tip, y[:3])], force)
            bent = [sum(a * b for a, b in zip(moment, e)) / s for e, s in zip(axes, stiffness)]
            turn = [sum(bent[i] * axes[i][k] for i in range(3)) for k in range(3)]
            return axes[0] + [c for e in axes for c in cross(turn, e)]
        y, h = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], length / steps
        for _ in range(steps):
            a = rate(y)
            b = rate([u + h / 2 * v for u, v in zip(y, a)])
            c = rate([u + h / 2 * v for u, v in zip(y, b)])
            d = rate([u + h * v for u, v in zip(y, c)])
            y = [u + h / 6 * (p + 2 * q + 2 * r + s) for u, p, q, r, s in zip(y, a, b, c, d)]
        return [a - b for a, b in zip(y[:3], tip)]

    tip = [length, 0, 0]
    for _ in range(20):
        gap = shoot(tip)
        if max(map(abs, gap)) < 1e-12:
            return tip
        rows = [[0.0] * 3 + [-g] for g in gap]
        for k in range(3):
            moved = shoot([t + (1e-6 if i == k else 0) for i, t in enumerate(tip)])
            for i in range(3):
                rows[i][k] = (moved[i] - gap[i]) / 1e-6
        for i in range(3):
            for r in range(3):
                if r != i:
                    f = rows[r][i] / rows[i][i]
                    rows[r] = [u - f * v for u, v in zip(rows[r], rows[i])]
        tip = [t + rows[i][3] / rows[i][i] for i, t in enumerate(tip)]
    raise ArithmeticError("Newton's method for the rod")


def princeton():
    """The strip of the Princeton beam experiment (Dowell and Traybar 1975), loaded between its axes, against a rod that is
    exact: it bends in both directions and twists."""
    L, h, t, E = 0.508, 12.377e-3, 3.2024e-3, 71.7e9
    EIy, EIz, GJ = E * t * h**3 / 12, E * h * t**3 / 12, E / 2.62 * h * t**3 / 3 * (1 - 0.63 * t / h)
    for load, angle in ((8.896, 45), (13.345, 60)):
        force = [0, load * math.cos(math.radians(angle)), load * math.sin(math.radians(angle))]
        exact = rod_tip(L, [GJ, EIz, EIy], force)
        errors = []
        for segments in (4, 8):
            text = PRINCETON % (EIy, EIz, GJ, segments, force[1], force[2])
            text = text.replace("modes: 2", "modes: {y: 2, z: 2, twist: 2}")
            at = run("equilibrium", "-", "--json", text=text)
            with tempfile.NamedTemporaryFile("w", suffix=".yaml") as model:
                model.write(text)
                model.flush()
                v = json.loads(run("evaluate", model.name, "--state", "-", "--json", text=at))["outputs"]
            if isinstance(v, list):
                v = {o["name"]: o["value"] for o in v}
            tip = v["tip"] if "tip" in v else [v[f"tip.{c}"] for c in "xyz"]
            errors.append(max(abs(a - b) for a, b in zip(tip, exact)) / L)
        if not (errors[1] < 3e-4 and errors[1] < errors[0] / 3):
            PROBLEMS.append(f"Princeton beam, {load} N at {angle} degrees: errors {errors}")


MISTAKES = [
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, offset: 0.1", "must be [y, z]"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, offset: [0.1, 2 kg]", "offset"),
    ("length: 1, mass_per_length: 1, EI: (s-0.3)^2-0.001, modes: 2", "at s = 0.275 of its length"),
    ("length: 1, mass_per_length: 1, EI: -3, modes: 2", "EI = -3"),
    ("length: 1, mass_per_length: 1, modes: 2", "EI = 0"),
    ("length: -1, mass_per_length: 1, EI: 1, modes: 2", "the length -1"),
    ("length: 1, EI: 1, modes: 2", "mass_per_length"),
    ("length: 1, mass_per_length: 1, EI: 1", "modes"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 0", "has no modes"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 99", "the limit is 40"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: -1", "must be an integer"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, shapes: cantilevr", "did you mean 'cantilever'"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, shapes: free", "its free modes move"),
    ("length: 1, mass_per_length: 1, EI: 1, shapes: {y: [s^2, 2*s^2]}", "not independent"),
    ("length: 1, mass_per_length: 1, EI: 1, shapes: {y: [s^2, k*s^3]}", "written with 'k'"),
    ("length: 1, mass_per_length: 1, EI: 1, shapes: {y: [1/s]}", "is not finite at s = 0"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, damping: [0.1]", "damping ratios"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, damping: -0.1", "negative"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, coordinates: [a]", "2 modes but 1 names"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: {y: 1, twist: 1}", "twist"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, lenght: 3", "lenght"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, segments: 0", "1 to 100 are possible"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, segments: 4, shapes: pinned", "must be polynomial"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, GA: -3", "GA = -3"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, GA: 3, exact: true", "modes of shear"),
    ("length: 1 kg, mass_per_length: 1, EI: 1, modes: 2", "length"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, elements: 0", "1 to 40 are possible"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, elements: 41", "1 to 40 are possible"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 9, elements: 9", "the limit is 40"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, elements: [0.7, 0.3]", "these places must increase"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, elements: [1.5]", "these places must increase"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, elements: 3, shapes: free", "a cantilever on a free joint"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, elements: 3, segments: 2", "both segments and elements"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, diagrams: 0", "1 to 200 are possible"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, diagrams: {fibres: [[0.1, 0]]}", "no 'modulus'"),
    ("length: 1, mass_per_length: 1, EI: 1, modes: 2, diagrams: {modulus: 1 Pa, fibres: [0.1]}", "a place [y, z]"),
]


def mistakes():
    for beam, words in MISTAKES:
        text = ("kane: 1\nname: wrong\nparameters: {k: 1}\nbodies: {B: {flexible: {%s}}}\n"
                "joints: {root: {type: weld, parent: N, child: B}}\n" % beam)
        said = run("check", "-", text=text, fails=True)
        if words not in said or "internal" in said:
            PROBLEMS.append(f"{{{beam}}}: '{words}' is not in: {said.strip()}")
    beyond = ("kane: 1\nname: wrong\nbodies: {B: {flexible: {length: 1, mass_per_length: 1, EI: 1, modes: 1}}}\n"
              "joints: {root: {type: weld, parent: N, child: B}}\nparticles: {P: {mass: 1, on: B, at: [1.2, 0, 0]}}\n")
    if "the particle 'P' is attached to the beam 'B' at s = 1.2" not in run("evaluate", "-", text=beyond, fails=True):
        PROBLEMS.append("a particle beyond the end")


CHECKS = (stations, offset, lateral_buckling, princeton, formulations, slider_crank, four_bar, hinged, diagrams, campbell, damping, spinning_beam, spin_up, buckling,
          elements, robot_frequencies, elastic_rp_robot, supports_out_of_plane, deploying_boom, mistakes)
wanted = sys.argv[3:] or [check.__name__ for check in CHECKS]
for name in wanted:
    {check.__name__: check for check in CHECKS}[name]()
print("\n".join(PROBLEMS) if PROBLEMS else "flexible bodies are right")
sys.exit(1 if PROBLEMS else 0)
