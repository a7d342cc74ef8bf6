#!/usr/bin/env python3
"""Every command on every model: it works, or it refuses with a sentence. Never an internal error, a signal or a hang; and
what different commands say of one state agrees.

usage: matrix_test.py KANE MODELS [NAME...]
"""

import csv
import json
import math
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TIMEOUT = 120  # seconds for one command; a hang is a failure, a slow machine is not

# Features that have no file in models/.
EXTRA = {
    "law": """
kane: 1
name: law
parameters: {m: 2 kg, k: 8 N/m}
inputs: {F: -k*x}
bodies: {B: {mass: m}}
joints: {slide: {type: prismatic, parent: N, child: B, axis: x, coordinate: x, speed: v}}
loads: [{force: F, at: B, axis: N.x}]
initial: {x: 0.5, v: 1}
""",
    "series": """
kane: 1
name: series
parameters: {m: 2 kg}
inputs: {F: {points: [[0, 3], [1, 5]]}}
bodies: {B: {mass: m}}
joints: {slide: {type: prismatic, parent: N, child: B, axis: x, coordinate: x, speed: v}}
loads: [{force: F, at: B, axis: N.x}]
""",
    "sampled": """
kane: 1
name: sampled
parameters: {m: 2 kg, k: 8 N/m}
inputs: {F: {value: -k*x, sampled: 10 ms}}
bodies: {B: {mass: m}}
joints: {slide: {type: prismatic, parent: N, child: B, axis: x, coordinate: x, speed: v}}
loads: [{force: F, at: B, axis: N.x}]
initial: {x: 0.5}
""",
    "table": """
kane: 1
name: table
parameters: {m: 2 kg}
tables: {pull: {points: [[-1, -4], [0, 0], [1, 9]], interpolation: cubic}}
bodies: {B: {mass: m}}
joints: {slide: {type: prismatic, parent: N, child: B, axis: x, coordinate: x, speed: v}}
loads: [{force: -pull(x), at: B, axis: N.x}]
initial: {x: 0.5}
""",
    "equations": """
kane: 1
name: equations
parameters: {m: 2 kg, L: 0.5 m, g: 9.81 m/s^2}
inputs: {T: 0}
equations:
  coordinates: {q: u}
  forcing: {u: T - m*g*L*sin(q) - 0.1*u}
  mass_matrix: [[m*L^2]]
  potential: -m*g*L*cos(q)
outputs: {o: L*sin(q)}
initial: {q: 0.3}
""",
    "friction": """
kane: 1
name: friction
parameters: {m: 2 kg, g: 9.81 m/s^2, L: 0.5 m}
gravity: -g*N.y
bodies: {B: {mass: m, com: [L, 0, 0]}}
joints: {pin: {type: revolute, parent: N, child: B, axis: z, coordinate: q, speed: u, friction: 1 N*m}}
initial: {q: 0.3, u: 0.5}
""",
    "limits": """
kane: 1
name: limits
parameters: {m: 2 kg, g: 9.81 m/s^2, L: 0.5 m}
gravity: -g*N.y
bodies: {B: {mass: m, com: [L, 0, 0]}}
joints: {pin: {type: revolute, parent: N, child: B, axis: z, coordinate: q, speed: u, limits: [-1, 1]}}
initial: {q: 0.3}
""",
    "locked": """
kane: 1
name: locked
parameters: {m: 2 kg, g: 9.81 m/s^2, L: 0.5 m}
gravity: -g*N.y
bodies: {A: {mass: m, com: [L, 0, 0]}, B: {mass: m, com: [L, 0, 0]}}
joints:
  pin: {type: revolute, parent: N, child: A, axis: z, coordinate: q1, speed: u1}
  elbow: {type: revolute, parent: A, child: B, axis: z, at: [L, 0, 0], coordinate: q2, speed: u2, lock: true}
initial: {q1: 0.3}
""",
    "event": """
kane: 1
name: event
parameters: {m: 2 kg}
bodies: {B: {mass: m}}
joints: {slide: {type: prismatic, parent: N, child: B, axis: x, coordinate: x, speed: v}}
constraints: {held: {motion: v, active: false}}
events: {catch: {when: x rises through zero, impose: held}}
initial: {x: -0.01, v: 1}
""",
    "statics": """
kane: 1
name: statics
parameters: {m: 2 kg, g: 9.81 m/s^2}
gravity: -g*N.y
bodies: {B: {mass: m, com: [1, 0, 0]}}
joints: {wall: {type: weld, parent: N, child: B}}
""",
}


class Matrix:
    def __init__(self, kane, folder):
        self.kane = kane
        self.folder = Path(folder)
        self.failures = []
        self.runs = 0

    def fail(self, words, text):
        self.failures.append(f"{' '.join(map(str, words))}\n    {text}")

    def run(self, *words, stdin="", expect=(0, 1, 2)):
        """Runs a command; whatever it says must be an answer or a sentence."""
        self.runs += 1
        try:
            done = subprocess.run([self.kane, *map(str, words)], input=stdin, capture_output=True, text=True,
                                  timeout=TIMEOUT, cwd=self.folder)
        except subprocess.TimeoutExpired:
            self.fail(words, f"no end after {TIMEOUT} s")
            return None
        err = done.stderr.strip()
        if done.returncode not in expect:
            self.fail(words, f"exit code {done.returncode}: {err[-400:]}")
        elif "internal error" in err or "bug in Kane" in err:
            self.fail(words, err[-400:])
        elif done.returncode != 0 and "error: " not in err:
            self.fail(words, f"exit code {done.returncode} without a sentence: {err[-400:]}")
        return done

    def run_json(self, *words, **options):
        done = self.run(*words, "--json", **options)
        if done is None or done.returncode != 0:
            return None
        try:
            return json.loads(done.stdout)
        except json.JSONDecodeError as error:
            self.fail(words, f"not JSON: {error}: {done.stdout[:200]}")
            return None

    # ---- one model --------------------------------------------------------------------------------------------------

    def try_all(self, model):
        name = model.stem
        out = self.folder / name
        out.mkdir()
        self.run("check", model, expect=(0,))
        self.run("derive", model, "--step", "8", expect=(0,))
        evaluation = self.run_json("evaluate", model)
        if evaluation is None:
            return
        q = evaluation["coordinates"]
        csv_file = out / "run.csv"
        self.run("simulate", model, "--until", 0.05, "--out", csv_file, "--no-report")
        self.run("forces", model, "--until", 0.05, "--out", out / "forces.csv")
        self.run("linearize", model, "--json")
        self.run("equilibrium", model, "--starts", 2, "--json")
        self.run("haptics", model, "--duration", 0.02, "--unpaced", "--json")
        self.run("export", model, "--to", "c", "-o", out / "export")
        if q:
            self.run("frequency", model, "--output", q[0], "--count", 3, "--json")
            motion = [f"{x}={value!r}" for x, value in zip(q, evaluation["q"])]
            self.run("inverse", model, "--motion", *motion, "--until", 0.01, "--out", out / "inverse.csv")
            self.run("inverse", model, "--motion", *motion, "--until", 0.01, "--track", "--out", out / "track.csv")
        points = list(evaluation["points"])
        if points:
            self.run("jacobian", model, "--point", points[0], "--json")
            target = ",".join(repr(x) for x in evaluation["points"][points[0]]["position"])
            self.run("reach", model, "--point", f"{points[0]}={target}", "--starts", 1, "--json")
        parameter = self.first_parameter(model)
        if parameter and q:
            self.run("sensitivity", model, "--parameters", parameter, "--until", 0.01, "--out", out / "s.csv")
            self.run("fit", model, "--parameter", parameter, "--goal", f"{q[0]}=0.1", "--until", 0.01,
                     "--max-iterations", 1)
        self.compare(model, out)

    @staticmethod
    def first_parameter(model):
        for line in model.read_text().splitlines():
            if line.startswith("parameters:") and "{" in line:
                return line.split("{")[1].split(":")[0].strip()
        return None

    # ---- agreement --------------------------------------------------------------------------------------------------

    def compare(self, model, out):
        """One state in several commands: where a run starts, its accelerations by a tiny step, energies, reactions."""
        step = 1e-6
        first = out / "first.csv"
        done = self.run("simulate", model, "--method", "rk4", "--step", step, "--until", 2 * step, "--output-step", step,
                        "--out", first, "--no-report", "--json")
        if done is None or done.returncode != 0:
            return
        summary = json.loads(done.stdout)
        with open(first) as file:
            rows = list(csv.DictReader(file))
        if not rows or float(rows[0]["t"]) != 0:
            return  # another start time: until lies before it
        names = self.run_json("evaluate", model)
        state = {"t": float(rows[0]["t"]), "q": {x: float(rows[0][x]) for x in names["coordinates"]},
                 "u": {x: float(rows[0][x]) for x in names["speeds"]}}
        at = self.run_json("evaluate", model, "--state", "-", stdin=json.dumps(state))
        if at is None:
            self.fail(["evaluate", model], "refuses the state that a run starts from")
            return
        if len(rows) == 3 and not summary.get("event_count"):
            for x, udot in zip(at["speeds"], at["udot"]):
                u = [float(row[x]) for row in rows]
                rate = (-3 * u[0] + 4 * u[1] - u[2]) / (2 * step)
                if not math.isclose(rate, udot, rel_tol=1e-3, abs_tol=1e-4 * (1 + max(map(abs, at["udot"])))):
                    self.fail(["evaluate", model], f"{x}' = {udot}, but a run begins with {rate}")
        energy = summary["energy"]
        if energy and at["potential"] is not None:
            total = at["kinetic"] + at["potential"]
            if not math.isclose(total, energy["start"], rel_tol=1e-9, abs_tol=1e-9):
                self.fail(["evaluate", model], f"energy {total}, but a run begins with {energy['start']}")
        forces = self.run_json("forces", model, "--state", "-", stdin=json.dumps(state))
        if forces is None:
            self.fail(["forces", model], "refuses the state that a run starts from")
            return
        for joint in forces["joints"]:
            own, other = joint["reaction"], at["reactions"].get(joint["joint"])
            if other is None or other["frame"] != own["frame"] or other["point"] != own["point"]:
                continue
            size = max(map(abs, own["force"] + own["torque"] + [1]))
            for part in ("force", "torque"):
                if any(abs(a - b) > 1e-9 * size for a, b in zip(own[part], other[part])):
                    self.fail(["forces", model], f"{joint['joint']}: {own[part]}, but evaluate says {other[part]}")


def main():
    kane, models = sys.argv[1], Path(sys.argv[2]).resolve()
    chosen = set(sys.argv[3:])
    with tempfile.TemporaryDirectory() as folder:
        matrix = Matrix(os.path.abspath(kane), folder)
        files = sorted(models.glob("*.yaml"))
        for name, text in EXTRA.items():
            file = Path(folder) / f"{name}.model.yaml"
            file.write_text(text)
            files.append(file)
        files = [f for f in files if not chosen or f.name.split(".")[0] in chosen]
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(matrix.try_all, files))
        for failure in matrix.failures:
            print(failure)
        print(f"{matrix.runs} commands on {len(files)} models, {len(matrix.failures)} failures")
        return 1 if matrix.failures or not matrix.runs else 0


if __name__ == "__main__":
    sys.exit(main())
