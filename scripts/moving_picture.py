#!/usr/bin/env python3
"""Makes one small moving SVG file of a run: the frames that `kane simulate --frames` draws, shown one after the other.

usage: moving_picture.py KANE MODEL FILE.svg [--until S] [--fps N] [--size WxH]
"""

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

# Triangles of a solid: the stroke, which closes the gaps between them, has the colour of the face.
FACE = re.compile(r'<path d="([^"]*)" fill="(#\w+)" stroke="\2" stroke-width="[.\d]+"/>')


def smaller(line):
    face = FACE.fullmatch(line)
    return f'<path color="{face.group(2)}" d="{face.group(1)}"/>' if face else line


def main():
    options = argparse.ArgumentParser()
    options.add_argument("kane")
    options.add_argument("model")
    options.add_argument("out", type=Path)
    options.add_argument("--until", default="3")
    options.add_argument("--fps", type=float, default=12)
    options.add_argument("--size", default="480x300")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([chosen.kane, "simulate", chosen.model, "--until", chosen.until, "--frames", f"{folder}/frames",
                        "--fps", str(chosen.fps), "--size", chosen.size, "--out", f"{folder}/run.csv", "--no-report",
                        "--quiet"], check=True)
        frames = [f.read_text().splitlines() for f in sorted(Path(folder, "frames").glob("*.svg"))]
    head, tail = frames[0][0], frames[0][-1]
    bodies = [frame[1:-1] for frame in frames]
    still = [line for line in bodies[0] if all(line in body for body in bodies)]
    duration = len(frames) / chosen.fps
    lines = [head, *still, '<g fill="currentColor" stroke="currentColor" stroke-width=".6" visibility="hidden">']
    for i, body in enumerate(bodies):
        times = [0, i / len(frames), (i + 1) / len(frames)]
        values = "hidden;visible;hidden"
        if i == 0:
            times, values = times[1:], "visible;hidden"
        key = ";".join(f"{t:.4f}" for t in times)
        lines.append(f'<g><animate attributeName="visibility" values="{values}" keyTimes="{key}" calcMode="discrete" '
                     f'dur="{duration:g}s" repeatCount="indefinite"/>')
        lines += [smaller(line).replace('<text ', '<text stroke="none" ') for line in body if line not in still]
        lines.append("</g>")
    chosen.out.write_text("\n".join([*lines, "</g>", tail, ""]))


if __name__ == "__main__":
    main()
