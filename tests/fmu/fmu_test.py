#!/usr/bin/env python3
"""Exports models as FMUs, checks their descriptions, runs them with an importer of our own and compares the motion with
that of `kane simulate`.

usage: fmu_test.py KANE SOURCE_FOLDER [NAME...]
"""

import csv
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import validate_fmu  # noqa: E402

KANE, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
CC = os.environ.get("CC") or "cc"

# name: (settings, end, samples, steps of Runge-Kutta between samples)
MODELS = {
    "fourbar": ([], 1.0, 20, 400),
    "spinning_top": ([], 1.0, 20, 400),
    "dc_motor": ([], 0.2, 10, 400),
    "rolling_disk_3d": ([], 1.0, 20, 200),
    "bicycle_nonlinear": ([], 0.5, 10, 100),
    "cartpole": (["--ignore-limits"], 1.0, 20, 200),
    # Contacts, stops, dry friction on lines and in a plane, modes, constraints that are imposed and released.
    "bouncing_ball": ([], 2.9, 20, 200),
    "gear_backlash": ([], 1.0, 20, 200),
    "clearance_slider_crank": ([], 0.04, 20, 200),
    "billiard_ball": ([], 0.3, 10, 300),
    "cart_switch": ([], 1.9, 20, 100),
    "piano_key": ([], 0.5, 20, 200),
    "stops": ([], 1.0, 20, 200),
    "landing": ([], 1.0, 20, 200),
    "bricard": ([], 0.5, 10, 100),
    "gyroscope": ([], 0.1, 10, 1000),
    "quaternion": ([], 1.0, 20, 200),
    "odd": ([], 1.0, 20, 200),
    "resets": ([], 1.0, 20, 200),
}

SWITCHED = {"bouncing_ball", "gear_backlash", "clearance_slider_crank", "billiard_ball", "cart_switch", "piano_key", "stops", "landing"}
# Something touches or is about to slide at the start, where derivatives have no meaning.
KINKED = {"clearance_slider_crank", "billiard_ball", "stops"}

WRITTEN = {
    # A cart that a motor drives against the ends of its rail, with a slide that friction holds or not.
    "stops": """
kane: 1
name: stops
parameters: {m: 2 kg}
inputs: {F: 30 N*sin(9*t)}
bodies: {A: {mass: m}, B: {mass: m/2}}
joints:
  rail: {type: prismatic, parent: N, child: A, axis: x, coordinate: x, speed: v, actuator: F,
         limits: {lower: -0.05 m, upper: 0.08 m, restitution: 0.4}}
  slot: {type: prismatic, parent: A, child: B, axis: y, coordinate: y, speed: w, friction: 2 N,
         limits: {lower: -0.02 m, upper: 0.02 m, restitution: 0.3}}
gravity: [0, -9.81, 0]
outputs: {force: F, lost: 0.5*m*v^2}
initial: {x: 0, y: 0.01}
""",
    # A two-legged table falls on a floor with friction, one leg first; both legs carry it in the end (redundant friction).
    "landing": """
kane: 1
name: landing
parameters: {m: 3 kg, J: 0.2 kg*m^2, a: 0.3 m, h: 0.2 m, mu: 0.6, e: 0.2}
bodies: {T: {mass: m, inertia: [0, 0, J], points: {left: [-a, -h, 0], right: [a, -h, 0]}}}
joints: {free: {type: planar, parent: N, child: T, coordinates: [x, y, q], speeds: [vx, vy, w]}}
gravity: [0, -9.81, 0]
contacts:
  left: {point: T.left, plane: N.y, friction: mu, restitution: e}
  right: {point: T.right, plane: N.y, friction: mu, restitution: e}
initial: {y: 0.4, q: 0.15, vx: 0.5, w: 0.3}
""",
    "quaternion": """
kane: 1
name: quaternion
parameters: {m: 2 kg, Ixx: 0.1 kg*m^2, Iyy: 0.2 kg*m^2, Izz: 0.25 kg*m^2}
bodies: {B: {mass: m, inertia: [Ixx, Iyy, Izz]}}
joints: {ball: {type: spherical, parent: N, child: B, coordinates: [e1, e2, e3, e4], speeds: [w1, w2, w3]}}
outputs: {H: 0.5*(Ixx*w1^2 + Iyy*w2^2 + Izz*w3^2)}
initial: {w1: 1, w2: 0.2, w3: -0.4}
""",
    # Characters that XML escapes, parameters of parameters, a table, an input with a law in time.
    "odd": """
kane: 1
name: 'odd <"&> name'
description: 'less < more & "quotes"'
parameters: {m: 2 kg, k: 8 N/m, c: 0.1*k}
inputs: {F: 0.5 N, G: 0.3*sin(2*t)}
tables: {f: {points: [[-1, -0.4], [0, 0], [1, 0.7], [2, 0.6]]}}
bodies: {B: {mass: m}}
joints: {slide: {type: prismatic, parent: N, child: B, axis: x, coordinate: x, speed: v}}
loads: [{force: F + G - k*x - c*v - f(x), at: B, axis: N.x}]
outputs: {power: F*v, table: f(x)}
initial: {x: 0.5, v: 1}
""",
    "resets": """
kane: 1
name: resets
parameters: {m: 1 kg, e: 0.8, g: 9.81 m/s^2}
bodies: {B: {mass: m}}
gravity: [0, -g, 0]
joints: {fall: {type: prismatic, parent: N, child: B, axis: y, coordinate: y, speed: v}}
events: {bounce: {when: y, direction: falling, reset: {v: -e*v}}}
initial: {y: 0.5, v: 0}
""",
}


def run(words, **options):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=300, **options)


def rows_of(text):
    return [[float(v) for v in line] for line in csv.reader(text.splitlines())]


class Fmu:
    """An exported model, unpacked."""

    def __init__(self, folder, name, version, *options):
        self.file = folder / f"{name}_{version}.fmu"
        model = SOURCE / "models" / f"{name}.yaml"
        if name in WRITTEN:
            model = folder / f"{name}.yaml"
            model.write_text(WRITTEN[name])
        self.model = model
        self.options = [o for o in options if o == "--ignore-limits"]
        done = run([KANE, "export", model, "--to", "fmu", "--fmi", version, "--force", "-o", self.file, *options])
        assert done.returncode == 0, done.stderr
        self.said = done
        self.d = validate_fmu.read(self.file)
        self.folder = folder / f"{name}_{version}"
        shutil.rmtree(self.folder, ignore_errors=True)
        with zipfile.ZipFile(self.file) as archive:
            archive.extractall(self.folder)
        libraries = list(self.folder.glob("binaries/*/*.so"))
        self.library = libraries[0] if libraries else None

    def drive(self, kind, *words, prefix=(), library=None):
        return run([*prefix, DRIVER, library or self.library, self.d.version, kind, self.d.token, *words])

    def simulate(self, kind, end, samples, substeps, tolerance=1e-12, set_values=()):
        outputs = self.d.vrs(causality="output")
        done = self.drive(kind, "run", 0, end, end / samples, tolerance, substeps, len(self.d.states()), self.d.indicators,
                          *outputs, *[f"{vr}={value!r}" for vr, value in set_values])
        assert done.returncode == 0, done.stderr
        return rows_of(done.stdout)

    def columns(self):
        return ["t"] + [v["name"] for v in self.d.variables if v["causality"] == "output"]

    def reference(self, end, samples, *options):
        out = self.folder / "reference.csv"
        done = run([KANE, "simulate", self.model, "--until", end, "--output-step", end / samples, "--tolerance", 1e-12,
                    "--out", out, "--no-report", "--quiet", "--force", *self.options, *options])
        assert done.returncode == 0, done.stderr
        with open(out) as file:
            names, *rows = list(csv.reader(file))
        place = [names.index(c) for c in self.columns()]
        return [[float(row[i]) for i in place] for row in rows]

    def check_arguments(self):
        states, rates = self.d.states(), [int(v["valueReference"]) for v in self.d.variables if "derivative" in v]
        inputs, parameters = self.d.vrs(causality="input"), self.d.vrs(causality="parameter")
        outputs = (self.d.vrs(causality="output") + rates)[:12] + rates[-3:]
        return [len(states), self.d.indicators, states[0], rates[0], inputs[0] if inputs else -1,
                parameters[0] if parameters else -1, *outputs]


class FmuTest(unittest.TestCase):
    def near(self, got, wanted, tolerance, what):
        self.assertEqual(len(got), len(wanted), what)
        for row, other in zip(got, wanted):
            for a, b in zip(row, other):
                self.assertLessEqual(abs(a - b), tolerance * (1 + abs(b)), f"{what} at t = {other[0]}")

    def fmus(self):
        names = sys_names or MODELS
        for name in names:
            for version in (2, 3) if name not in SWITCHED or name in ("bouncing_ball", "cart_switch") else (3,):
                yield name, version, Fmu(FOLDER, name, version, *MODELS[name][0])

    def test_all_models(self):
        for name, version, fmu in self.fmus():
            _, end, samples, substeps = MODELS[name]
            what = f"{name}, FMI {version}"
            with self.subTest(what):
                self.assertEqual(validate_fmu.validate(fmu.file), [], what)
                wanted = fmu.reference(end, samples)
                for kind in ("me", "cs"):
                    self.near(fmu.simulate(kind, end, samples, substeps), wanted, 1e-8, f"{what}, {kind}")
                    if name != "resets" and name not in KINKED:
                        done = fmu.drive(kind, "check", *fmu.check_arguments())
                        self.assertEqual(done.returncode, 0, f"{what}, {kind}: {done.stdout}{done.stderr}")
                if name not in SWITCHED:
                    self.check_dependencies(fmu, what)

    def check_dependencies(self, fmu, what):
        """A derivative that is not zero has a dependency; and no dependency is listed without reason (but for a few that
        happen to vanish where it is tried)."""
        d = fmu.d
        nx = len(d.states())
        exact = [int(v["valueReference"]) for v in d.variables if v.get("initial") == "exact"]
        always = d.vrs(causality="input") + d.vrs(causality="independent")
        for mode, kinds, knowns in (("running", ("Output", "ContinuousStateDerivative"), d.states() + always),
                                    ("init", ("InitialUnknown",), exact + always)):
            unknowns = [u for k in kinds for u in d.unknowns(k)]
            done = fmu.drive("me", "jacobian", mode, nx, d.indicators, *[u for u, _ in unknowns], ":", *knowns)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            listed = used = 0
            for (unknown, on), row in zip(unknowns, rows_of(done.stdout)):
                for known, value in zip(knowns, row):
                    self.assertFalse(math.isnan(value), f"{what}: {unknown} by {known}")
                    if abs(value) > 1e-12:
                        self.assertIn(known, on, f"{what}, {mode}: {unknown} depends on {known} ({value})")
                    listed += known in on
                    used += known in on and value != 0
            # A start is often symmetric, and has more derivatives that vanish.
            self.assertGreaterEqual(used, (0.4 if mode == "running" else 0.2) * listed, f"{what}, {mode}: dependencies that do nothing")

    def test_start_values_and_closing(self):
        """A start value of an independent coordinate moves the dependent ones, as `kane simulate --set` does."""
        for version in (2, 3):
            fmu = Fmu(FOLDER, "fourbar", version)
            for kind in ("me", "cs"):
                got = fmu.simulate(kind, 0.5, 10, 200, set_values=[(fmu.d.by_name["q1"], 0.8), (fmu.d.by_name["l2"], 0.85)])
                self.near(got, fmu.reference(0.5, 10, "--set", "q1=0.8", "--set", "l2=0.85"), 1e-8, f"{version} {kind}")
            done = fmu.drive("cs", "run", 0, 1, 0.1, 1e-9, 1, 6, 0, 1, f"{fmu.d.by_name['l2']}=9")
            self.assertEqual(done.returncode, 4, "a loop that cannot be closed is an error")

    def test_memory(self):
        """The runtime and the equations under valgrind and the sanitizers."""
        valgrind = shutil.which("valgrind")
        for name, version in (("fourbar", 2), ("fourbar", 3), ("landing", 3), ("cart_switch", 2)):
            fmu = Fmu(FOLDER, name, version, "--sources")
            if valgrind and name == "fourbar":
                for kind in ("me", "cs"):
                    done = fmu.drive(kind, "check", *fmu.check_arguments(),
                                     prefix=[valgrind, "-q", "--error-exitcode=9", "--leak-check=full"])
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            library = FOLDER / f"sanitized_{version}.so"
            flags = ["-std=c99", "-g", "-O1", "-fPIC", "-Wall", "-Wextra", "-Wno-unused-parameter", "-Wno-unused-function",
                     "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
                     f"-DFMI{version}_OVERRIDE_FUNCTION_PREFIX"]
            sources = sorted(fmu.folder.glob("sources/*.c"))
            done = run([CC, *flags, "-shared", "-o", library, *sources, "-lm"])
            self.assertEqual(done.returncode, 0, done.stderr)
            driver = FOLDER / "sanitized_driver"
            done = run([CC, "-g", "-fsanitize=address,undefined", "-o", driver, Path(__file__).parent / "fmu_driver.c",
                        "-ldl", "-lm"])
            self.assertEqual(done.returncode, 0, done.stderr)
            for kind in ("me", "cs"):
                done = run([driver, library, version, kind, fmu.d.token, "check", *fmu.check_arguments()])
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                _, end, samples, _ = MODELS[name]
                done = run([driver, library, version, kind, fmu.d.token, "run", 0, end, end / samples, 1e-9, 20,
                            len(fmu.d.states()), fmu.d.indicators, *fmu.d.vrs(causality="output")])
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_sources_have_prefixes(self):
        """Two FMUs linked into one program must not meet."""
        fmu = Fmu(FOLDER, "spinning_top", 2, "--sources", "--no-binary")
        self.assertIsNone(fmu.library)
        self.assertEqual(validate_fmu.validate(fmu.file), [])
        objects = FOLDER / "object.o"
        done = run([CC, "-c", "-o", objects, fmu.folder / "sources" / "fmi2.c"])
        self.assertEqual(done.returncode, 0, done.stderr)
        names = run(["nm", "--defined-only", "--extern-only", objects]).stdout.split()[2::3]
        self.assertEqual(len(names), 44)
        self.assertTrue(all(n.startswith("spinning_top_fmi2") for n in names), names)

    def test_same_model_same_bytes(self):
        first = Fmu(FOLDER, "spinning_top", 3)
        one = first.file.read_bytes()
        self.assertEqual(one, Fmu(FOLDER, "spinning_top", 3).file.read_bytes())
        other = Fmu(FOLDER, "spinning_top", 3, "--set", "g=3")
        self.assertNotEqual(first.d.token, other.d.token)

    def test_kinds(self):
        for version in (2, 3):
            for kind, other in (("me", "cs"), ("cs", "me")):
                fmu = Fmu(FOLDER, "spinning_top", version, "--kind", kind)
                self.assertEqual(validate_fmu.validate(fmu.file), [])
                states = len(fmu.d.states())
                self.assertEqual(fmu.drive(kind, "run", 0, 0.1, 0.1, 0, 10, states, 0, 1).returncode, 0)
                self.assertEqual(fmu.drive(other, "run", 0, 0.1, 0.1, 0, 10, states, 0, 1).returncode, 3)

    def test_missing_pointers(self):
        """Counts without arrays are errors (3), not crashes. In a process of its own, as a crash would end this one."""
        fmu = Fmu(FOLDER, "odd", 2)
        program = f"""
import ctypes
from ctypes import c_double, c_size_t, c_void_p
fmu = ctypes.CDLL({str(fmu.library)!r})
logger = ctypes.CFUNCTYPE(None)(lambda: None)
callbacks = (c_void_p * 5)(ctypes.cast(logger, c_void_p))
fmu.fmi2Instantiate.restype = c_void_p
c = c_void_p(fmu.fmi2Instantiate(b"i", 1, {fmu.d.token.encode()!r}, b"", callbacks, 0, 0))
fmu.fmi2SetupExperiment(c, 0, c_double(0), c_double(0), 0, c_double(0))
fmu.fmi2EnterInitializationMode(c)
assert c.value and fmu.fmi2ExitInitializationMode(c) == 0
none, one = c_void_p(), c_size_t(1)
print(fmu.fmi2GetDirectionalDerivative(c, none, one, none, one, none, none),
      fmu.fmi2SetRealInputDerivatives(c, none, one, none, none),
      fmu.fmi2GetRealOutputDerivatives(c, none, one, none, none),
      fmu.fmi2SetDebugLogging(c, 1, one, none))
c = c_void_p(fmu.fmi2Instantiate(b"i", 1, {fmu.d.token.encode()!r}, b"", (c_void_p * 5)(), 0, 1))
print(fmu.fmi2SetReal(c, none, one, none))
"""
        done = run([sys.executable, "-c", program])
        self.assertEqual((done.returncode, done.stdout.split()), (0, ["3"] * 5), done.stderr)

    def test_missing_pointers_3(self):
        fmu = Fmu(FOLDER, "odd", 3)
        program = f"""
import ctypes
from ctypes import c_bool, c_double, c_size_t, c_void_p
fmu = ctypes.CDLL({str(fmu.library)!r})
none, one, no = c_void_p(), c_size_t(1), c_bool(False)
fmu.fmi3InstantiateCoSimulation.restype = c_void_p
c = c_void_p(fmu.fmi3InstantiateCoSimulation(b"i", {fmu.d.token.encode()!r}, none, no, no, no, no, none, c_size_t(0), none, none, none))
fmu.fmi3EnterInitializationMode(c, no, c_double(0), c_double(0), no, c_double(0))
assert c.value and fmu.fmi3ExitInitializationMode(c) == 0
print(fmu.fmi3GetDirectionalDerivative(c, none, one, none, one, none, one, none, one),
      fmu.fmi3GetAdjointDerivative(c, none, one, none, one, none, one, none, one),
      fmu.fmi3GetOutputDerivatives(c, none, one, none, none, one),
      fmu.fmi3SetDebugLogging(c, c_bool(True), one, none))
"""
        done = run([sys.executable, "-c", program])
        self.assertEqual((done.returncode, done.stdout.split()), (0, ["3"] * 4), done.stderr)

    def test_damaged_state(self):
        """Bytes of a state that were changed on their way are refused (3), whatever they say."""
        fmu = Fmu(FOLDER, "bouncing_ball", 2)
        program = f"""
import ctypes
from ctypes import byref, c_size_t, c_void_p
fmu = ctypes.CDLL({str(fmu.library)!r})
fmu.fmi2Instantiate.restype = c_void_p
c = c_void_p(fmu.fmi2Instantiate(b"i", 1, {fmu.d.token.encode()!r}, b"", (c_void_p * 5)(), 0, 0))
state, size = c_void_p(), c_size_t()
assert fmu.fmi2GetFMUstate(c, byref(state)) == 0 and fmu.fmi2SerializedFMUstateSize(c, state, byref(size)) == 0
data = (ctypes.c_ubyte * size.value)()
assert fmu.fmi2SerializeFMUstate(c, state, data, size) == 0
assert fmu.fmi2DeSerializeFMUstate(c, data, size, byref(state)) == 0
for place in range(size.value):
    data[place] ^= 64
    assert fmu.fmi2DeSerializeFMUstate(c, data, size, byref(state)) == 3, place
    data[place] ^= 64
"""
        done = run([sys.executable, "-c", program])
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_refusals(self):
        def refused(words, *parts, code=2):
            done = run([KANE, "export", *words], cwd=FOLDER, env={**os.environ, **environment})
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            for part in parts:
                self.assertIn(part, done.stderr)
        environment = {}
        models = SOURCE / "models"
        refused([models / "box_drop.yaml", "--to", "fmu"], "contact of shapes 'top'", "--leave-out")
        refused([models / "pd_arm.yaml", "--to", "fmu"], "sampled", "--input", "--leave-out")
        refused([models / "fourbar.yaml", "--to", "c", "-o", "x", "--fmi", "2"], "--fmi")
        refused([models / "fourbar.yaml", "--to", "c"], "--out")
        refused([models / "fourbar.yaml", "--to", "fmu", "--step", "0.1"], "--step")
        refused([models / "fourbar.yaml", "--to", "fmu", "--no-binary"], "--sources")
        refused([models / "fourbar.yaml", "--to", "fmu", "--input", "nothing"], "nothing")
        (FOLDER / "there.fmu").write_text("mine")
        refused([models / "fourbar.yaml", "--to", "fmu", "-o", "there.fmu"], "--force")
        environment = {"PATH": "/nowhere", "CC": ""}
        refused([models / "fourbar.yaml", "--to", "fmu"], "C compiler", "--sources")

    def test_open_inputs(self):
        """An input with a law becomes an input of the FMU on request."""
        fmu = Fmu(FOLDER, "odd", 2, "--input", "G")
        self.assertIn("G", [v["name"] for v in fmu.d.variables if v["causality"] == "input"])
        got = fmu.simulate("cs", 1.0, 10, 1, set_values=[(fmu.d.by_name["G"], 0.25)])
        self.near(got, fmu.reference(1.0, 10, "--set", "G=0.25"), 1e-8, "G = 0.25")


if __name__ == "__main__":
    sys_names = sys.argv[3:]
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = Path(folder)
        DRIVER = FOLDER / "driver"
        built = run([CC, "-std=gnu11", "-O1", "-Wall", "-Wextra", "-o", DRIVER, Path(__file__).parent / "fmu_driver.c", "-ldl",
                     "-lm"])
        if built.returncode != 0:
            sys.exit(built.stderr)
        unittest.main(argv=sys.argv[:1])
