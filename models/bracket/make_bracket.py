#!/usr/bin/env python3
"""Makes the files of the bracket: three solid elements of 20 nodes, tapered and curved, of aluminium.

CalculiX (ccx) writes the mass and stiffness matrices, and its own natural frequencies for comparison: clamped at the
root, clamped at the root with a rigid face at the tip, and free. Run it in a folder of its own:

    python3 make_bracket.py

writes bracket_M.mtx, bracket_K.mtx, bracket_nodes.txt and bracket_frequencies.json.
"""

import json
import pathlib
import subprocess

LENGTH, WIDTH, TIP_WIDTH, HEIGHT, RISE, ELEMENTS = 0.12, 0.03, 0.02, 0.012, 0.03, 3
CORNERS = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0), (0, 0, 2), (2, 0, 2), (2, 2, 2), (0, 2, 2)]
MIDDLES = [(1, 0, 0), (2, 1, 0), (1, 2, 0), (0, 1, 0), (1, 0, 2), (2, 1, 2), (1, 2, 2), (0, 1, 2), (0, 0, 1),
           (2, 0, 1), (2, 2, 1), (0, 2, 1)]


def place(i, j, k):
    x = i / (2 * ELEMENTS)
    width = WIDTH + (TIP_WIDTH - WIDTH) * x
    return LENGTH * x, width * (j / 2 - 0.5), HEIGHT * (k / 2 - 0.5) + RISE * x**2


numbers, elements = {}, []
for e in range(ELEMENTS):
    elements.append([numbers.setdefault((2 * e + p, q, r), len(numbers) + 1) for p, q, r in CORNERS + MIDDLES])
root = [n for (i, _, _), n in numbers.items() if i == 0]
tip = [n for (i, _, _), n in numbers.items() if i == 2 * ELEMENTS]


def run(name, boundary, step):
    """One run of ccx; what it wrote as .dat."""
    lines = ["*NODE,NSET=ALL"]
    lines += [f"{n}, " + ", ".join(f"{c:.12g}" for c in place(*key)) for key, n in numbers.items()]
    middle = [sum(place(*key)[c] for key, n in numbers.items() if n in tip) / len(tip) for c in range(3)]
    lines += [f"{n}, " + ", ".join(f"{c:.12g}" for c in middle) for n in (9001, 9002)] if "RIGID" in boundary else []
    lines += ["*NSET,NSET=TIP", ",\n".join(map(str, tip)), "*ELEMENT,TYPE=C3D20,ELSET=E"]
    for e, nodes in enumerate(elements, 1):
        lines += [f"{e}, " + ", ".join(map(str, nodes[:10])) + ",", ", ".join(map(str, nodes[10:]))]
    lines += ["*MATERIAL,NAME=AL", "*ELASTIC", "70e9,0.33", "*DENSITY", "2700", "*SOLID SECTION,ELSET=E,MATERIAL=AL"]
    pathlib.Path(name + ".inp").write_text("\n".join(lines) + "\n" + boundary + "*STEP\n" + step + "*END STEP\n")
    subprocess.run(["ccx", name], check=True, stdout=subprocess.DEVNULL)
    return pathlib.Path(name + ".dat").read_text()


def frequencies(text):
    """Circular frequencies (rad/s): third column of the table of eigenvalues."""
    rows = [line.split() for line in text.split("E I G E N V A L U E")[1].splitlines()]
    return [float(r[2]) for r in rows if len(r) == 5 and r[0].isdigit()]


def matrix(source, target):
    """Upper triangles of ccx as Matrix Market files, which hold lower ones."""
    rows = [line.split() for line in pathlib.Path(source).read_text().splitlines()]
    values = [(int(j), int(i), float(v)) for i, j, v in rows]
    largest = max(abs(v) for _, _, v in values)
    kept = [(i, j, v) for i, j, v in values if abs(v) > 1e-15 * largest]
    head = f"%%MatrixMarket matrix coordinate real symmetric\n{3 * len(numbers)} {3 * len(numbers)} {len(kept)}\n"
    pathlib.Path(target).write_text(head + "".join(f"{i} {j} {v:.14g}\n" for i, j, v in kept))


held = "*BOUNDARY\n" + "".join(f"{n},1,3\n" for n in root)
run("store", "", "*FREQUENCY,SOLVER=MATRIXSTORAGE\n10\n")
matrix("store.sti", "bracket_K.mtx")
matrix("store.mas", "bracket_M.mtx")
order = [line.split(".") for line in pathlib.Path("store.dof").read_text().split()]
places = {n: place(*key) for key, n in numbers.items()}
assert [int(n) for n, d in order if d == "1"] == sorted(places)
pathlib.Path("bracket_nodes.txt").write_text(
    "# node, x, y, z (m)\n" + "".join(f"{n}, " + ", ".join(f"{c:.12g}" for c in places[n]) + "\n" for n in sorted(places)))
results = {
    "clamped": frequencies(run("clamped", held, "*FREQUENCY\n8\n")),
    "free": frequencies(run("free", "", "*FREQUENCY\n14\n"))[6:],
    "rigid_tip": frequencies(run("rigid", held + "*RIGID BODY,NSET=TIP,REF NODE=9001,ROT NODE=9002\n", "*FREQUENCY\n8\n")),
    "root": sorted(root),
    "tip": sorted(tip),
}
pathlib.Path("bracket_frequencies.json").write_text(json.dumps(results, indent=1) + "\n")
