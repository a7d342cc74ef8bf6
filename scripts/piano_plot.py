#!/usr/bin/env python3
"""The plot of docs/piano-action.md: a stroke and a repetition of models/piano_action.yaml, simulated by Kane.

    scripts/piano_plot.py build/bin/kane            writes docs/pictures/piano_action.svg
    scripts/piano_plot.py build/bin/kane --out FILE
"""

import argparse
import csv
import json
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 720, 320, 50, 40, 30
UNTIL = 0.65
CURVES = [("hammer", "hammer head, mm", "#b03030", 1e3, 1), ("key", "key at the finger, mm x 4", "#2060a0", 4e3, 2),
          ("y_d", "damper, mm x 4", "#508040", 4e3, 3)]


def simulate(kane):
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "run.csv"
        run = subprocess.run([kane, "simulate", str(ROOT / "models" / "piano_action.yaml"), "--until", str(UNTIL), "--out",
                              str(table), "--json"], check=True, capture_output=True, text=True)
        with open(table, encoding="utf-8") as lines:
            return list(csv.DictReader(lines)), json.loads(run.stdout)["events"]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("kane")
    options.add_argument("--out", default=str(ROOT / "docs" / "pictures" / "piano_action.svg"))
    o = options.parse_args()
    rows, events = simulate(o.kane)
    most = 50.0

    def place(t, y):
        return (LEFT + (WIDTH - LEFT - 10) * t / UNTIL, HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * y / most)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    for y in range(0, 51, 10):
        x0, py = place(0, y)
        out.append(f'<path d="M{x0:.1f} {py:.1f}H{WIDTH - 10}" stroke="#ddd"/><text x="{x0 - 8:.0f}" y="{py + 4:.1f}" '
                   f'text-anchor="end">{y}</text>')
    for k in range(0, 7):
        px, py = place(0.1 * k, 0)
        out.append(f'<text x="{px:.1f}" y="{py + 16:.1f}" text-anchor="middle">{0.1 * k:.1f}</text>')
    out.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 8}" text-anchor="middle">t, s</text>')
    strokes = [e["t"] for e in events if "string" in e["causes"]]
    for t in strokes:
        px, _ = place(t, 0)
        out.append(f'<path d="M{px:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#888" stroke-dasharray="3 3"/>'
                   f'<text x="{px:.1f}" y="{TOP - 6}" text-anchor="middle">string</text>')
    for name, label, colour, scale, line in CURVES:
        points = " ".join("{:.1f},{:.1f}".format(*place(float(r["t"]), scale * float(r[name]))) for r in rows[::2])
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.6"/>'
                   f'<text x="{WIDTH - 20}" y="{TOP + 14 * line}" text-anchor="end" fill="{colour}">{label}</text>')
    out.append("</svg>")
    pathlib.Path(o.out).write_text("\n".join(out) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
