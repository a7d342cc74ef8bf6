#!/usr/bin/env python3
"""The studies in models/studies as commands: what they find, against numbers that are known in another way. Arguments: the kane
command, the folder of models."""

import json
import math
import os
import sqlite3
import subprocess
import sys
import tempfile

KANE, MODELS = sys.argv[1:3]


def kane(*words, code=0):
    done = subprocess.run([KANE, *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done.stdout if code == 0 else done.stderr


def study(name):
    return os.path.join(MODELS, "studies", name + ".yaml")


def four_bar(folder):
    """Deviation of the rocker's angle against the linkage's closure, differentiated by hand."""
    store = os.path.join(folder, "fourbar.db")
    found = json.loads(kane("sweep", study("fourbar_tolerances"), "--out", store, "--json"))["measures"]["rocker"]
    l1, l2, l3, d, q1 = 0.3, 0.9, 0.7, 0.8, 0.5

    def rocker(a, b, c, e):
        # |B - D| = c, |B - A| = b with A at the crank's end: the intersection of two circles, above
        ax, ay = a * math.cos(q1), a * math.sin(q1)
        x, y = e - ax, -ay
        r = math.hypot(x, y)
        along = (b * b - c * c + r * r) / (2 * r)
        up = math.sqrt(b * b - along * along)
        bx, by = ax + along * x / r - up * y / r, ay + along * y / r + up * x / r
        return math.atan2(by, bx - e)

    at, h = [l1, l2, l3, d], 1e-6
    slope = []
    for i in range(4):
        above, below = at[:], at[:]
        above[i] += h
        below[i] -= h
        slope.append((rocker(*above) - rocker(*below)) / (2 * h))
    c = [[1e-8, 5e-9, 5e-9, 0], [5e-9, 4e-8, 5e-9, 0], [5e-9, 5e-9, 2e-8, 0], [0, 0, 0, 1e-8]]
    deviation = math.sqrt(sum(slope[i] * c[i][j] * slope[j] for i in range(4) for j in range(4)))
    assert abs(found["mean"] - rocker(*at)) < 0.02 * deviation, (found, rocker(*at))
    assert abs(found["deviation"] / deviation - 1) < 0.02, (found, deviation)


def gains(folder):
    """The design is feasible and better than the gains of the model; derivatives came from the motion."""
    store = os.path.join(folder, "gains.db")
    found = json.loads(kane("sweep", study("cartpole_gains"), "--out", store, "--json"))
    assert found["feasible"] and found["gradients"] > 3, found
    best = found["best"][0]
    assert best["measures"]["tilt"] <= 0.1 + 1e-6 and best["measures"]["wander"] <= 0.03 + 1e-6, best
    plain = os.path.join(folder, "plain.db")
    kane("sweep", os.path.join(MODELS, "cartpole.yaml"), "--vary", "k1={4.53}", "--measure", "wander=integral(x^2)", "--measure",
         "effort=rms(F)", "--until", "6", "--out", plain)
    with sqlite3.connect(plain) as db:
        wander, effort = db.execute("SELECT wander, effort FROM runs").fetchone()
    assert best["goals"]["20*wander + effort^2"] < 0.97 * (20 * wander + effort ** 2), (best, wander, effort)


def bands(folder):
    """Series in the store, as a table and on the page; --run gives those of one run."""
    store, table, page = (os.path.join(folder, "swing." + end) for end in ("db", "csv", "html"))
    kane("sweep", study("swing_bands"), "--runs", "200", "--out", store)
    kane("results", store, "--series", table, "--page", page, "--replays", "2")
    with open(table, encoding="utf-8") as file:
        lines = file.read().split("\n")
    assert lines[0] == "k,t,angle,energy" and len(lines) == 200 * 101 + 2, (lines[0], len(lines))
    last = {int(float(line.split(",")[0])): float(line.split(",")[2]) for line in lines[1:-1]}
    with sqlite3.connect(store) as db:
        for k, value in db.execute("SELECT k, last FROM runs"):
            assert abs(last[k] - value) < 1e-12, (k, last[k], value)
    one = kane("results", store, "--series", "-", "--run", "7").strip().split("\n")
    assert len(one) == 102 and all(line.startswith("7,") for line in one[1:])
    with open(page, encoding="utf-8") as file:
        text = file.read()
    shown = json.loads(text[text.index("const S=") + 8:].split(";\n", 1)[0])
    assert shown["names"] == ["angle", "energy"] and len(shown["t"]) == 101 and len(shown["q"][0]) == 5, shown["names"]
    for low, middle, high in zip(shown["q"][0][0], shown["q"][0][2], shown["q"][0][4]):
        assert low <= middle <= high
    # Sweeps without series say so, and another list of series is another study.
    plain = os.path.join(folder, "plain.db")
    assert "--series" in kane("results", plain, "--series", table, "--force", code=2)
    assert "another study" in kane("sweep", study("swing_bands"), "--runs", "200", "--series", "u", "--out", store, code=2)


def refusals(folder):
    """Mistakes in a study have their place."""
    name = os.path.join(folder, "wrong.yaml")
    head = "study: 1\nmodel: " + os.path.join(os.path.abspath(MODELS), "damped_pendulum.yaml") + "\n"
    for text, place, words in [
            ('vary: {"l, b": "normal([0.5, 0.1], [[1, 2], [2, 1]])"}\nruns: 9\nmeasures: [q]\n', ":3:", "contradict"),
            ('vary: {"l, b": "normal([0.5, 0.1], [[1, 0], [0, -1]])"}\nruns: 9\nmeasures: [q]\n', ":3:", "not positive"),
            ('vary: {"l, b": "1..2"}\nruns: 9\nmeasures: [q]\n', ":3:", "joint normal"),
            ("vary: {run.method: [rk4, rk5]}\nmeasures: [q]\n", ":3:", "rk5"),
            ("vary: {run.formulation: [composite, fast]}\nmeasures: [q]\n", ":3:", "fast"),
            ("vary: {l: [0.5]}\nmeasures: [quantile(q)]\n", ":4:", "2 arguments"),
            ("vary: {l: [0.5]}\nmeasures: [q]\nseries: [nothing]\n", ":5:", "nothing"),
            ("vary: {l: [0.5]}\nmeasures: [q]\nseries: [q]\nseries_step: 1 kg\n", ":6:", "seconds"),
            ("vary: {l: [0.5]}\nmeasures: [q]\nseries: [q]\nseries_step: 1e-9\n", "", "too long"),
            ("vary: {l: [0.5]}\nmeasures: [q]\nsimulate: {until: -1}\n", "", "after it begins")]:
        with open(name, "w", encoding="utf-8") as file:
            file.write(head + text)
        said = kane("sweep", name, "--out", os.path.join(folder, "wrong.db"), code=2)
        assert words in said and (not place or "wrong.yaml" + place in said), (text, said)


def main():
    with tempfile.TemporaryDirectory() as folder:
        four_bar(folder)
        gains(folder)
        bands(folder)
        refusals(folder)
    print("studies find what is known")


main()
