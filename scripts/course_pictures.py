#!/usr/bin/env python3
"""Pictures of the mechanisms of the course (docs/course.md), drawn by Kane.

    scripts/course_pictures.py build/bin/kane            writes docs/course/*.svg
    scripts/course_pictures.py build/bin/kane --out DIR  writes them elsewhere
    scripts/course_pictures.py build/bin/kane --check    draws them, and checks that the course shows each of them

The programs of examples/ describe their mechanisms in C++; here the same ones are model files, because a file is what the
command draws. Of the frames of a run one is kept and made smaller: triangles that nobody sees are dropped, and colours
that nobody can tell apart are made equal, so that neighbours share a path.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_BYTES = 60_000

HEAD = "kane: 1\nname: picture\n"

# Name of the program, the instant of the picture (s), the model.
PICTURES = {
    "01_pendulum": (0.1, """
gravity: -9.81*N.y
bodies:
  rod: {mass: 2, com: [0, -0.25, 0], inertia: [0, 0, 0.0417]}
particles: {end: {mass: 0.001, on: rod, at: [0, -0.5, 0]}}
joints:
  pin: {type: revolute, parent: N, child: rod, axis: z, coordinate: q}
initial: {q: 50 deg}
"""),
    "02_speeds": (0.1, """
gravity: -9.81*N.y
bodies: {A: {}, B: {}}
particles:
  elbow: {mass: 1.3, on: A, at: [0.7, 0, 0]}
  tip: {mass: 1.3, on: B, at: [0.7, 0, 0]}
joints:
  j1: {type: revolute, parent: N, child: A, axis: z, coordinate: q1}
  j2: {type: revolute, parent: A, at: [0.7, 0, 0], child: B, axis: z, coordinate: q2}
initial: {q1: 0.4, q2: 0.9}
"""),
    "03_constraints": (0.3, """
gravity: -9.81*N.y
bodies: {F: {}}
particles: {P: {mass: 0.5, on: F}}
points: {O: {on: N}}
joints:
  slide: {type: general, parent: N, child: F, motions: [{translate: x, coordinate: x, speed: vx}, {translate: y, coordinate: y, speed: vy}]}
constraints: {rod: {rod: [O, P], length: 1.2}}
initial: {x: 1.2, vy: -0.01}
"""),
    "04_closed_loop": (0.1, """
gravity: -9.81*N.y
bodies:
  crank: {mass: 0.8, com: [0.15, 0, 0], inertia: [0, 0, 0.006]}
  coupler: {mass: 1.6, com: [0.45, 0, 0], inertia: [0, 0, 0.108]}
  rocker: {mass: 1.1, com: [0.35, 0, 0], inertia: [0, 0, 0.045]}
joints:
  O: {type: revolute, parent: N, child: crank, axis: z, coordinate: q1}
  A: {type: revolute, parent: crank, at: [0.3, 0, 0], child: coupler, axis: z, coordinate: q2}
  D: {type: revolute, parent: N, at: [0.8, 0, 0], child: rocker, axis: z, coordinate: q3}
  B: {type: revolute, parent: coupler, at: [0.9, 0, 0], child: rocker, child_at: [0.7, 0, 0], axis: z, close: true}
initial: {q1: 0.5, u1: 6}
guess: {q2: 0.2, q3: 1.2}
"""),
    "05_control": (0.1, """
gravity: -9.81*N.y
bodies:
  cart: {mass: 1, shape: {box: [0.3, 0.12, 0.2]}}
  pole: {mass: 0.2, com: [0, 0.5, 0], inertia: [0.02, 0, 0.02]}
particles: {end: {mass: 0.001, on: pole, at: [0, 1, 0]}}
joints:
  rail: {type: prismatic, parent: N, child: cart, axis: x, coordinate: x}
  pivot: {type: revolute, parent: cart, child: pole, axis: -z, coordinate: theta}
initial: {theta: 0.3}
"""),
    "06_contact": (0.15, """
gravity: -9.81*N.y
bodies: {ball: {mass: 0.2, shape: {sphere: {radius: 0.1}}}, floor: {mass: 1, shape: {box: [1, 0.02, 0.6]}}}
joints:
  fall: {type: prismatic, parent: N, child: ball, axis: y, coordinate: y}
  floor: {type: weld, parent: N, at: [0, -0.01, 0], child: floor}
contacts: {floor: {sphere: ball, radius: 0.1, plane: N.y, restitution: 0.6}}
initial: {y: 0.7}
"""),
    "07_haptic_hand": (0.001, """
bodies: {block: {mass: 0.4, shape: {box: [0.06, 0.04, 0.04]}}, stop: {mass: 1, shape: {box: [0.01, 0.08, 0.08]}}, hand: {mass: 0.2, shape: {sphere: {radius: 0.012}}}}
points: {hand_end: {on: hand}}
loads: {coupling: {spring: 500, from: hand, to: block, length: 0.05}}
joints:
  slide: {type: prismatic, parent: N, child: block, axis: x, coordinate: x}
  wall: {type: weld, parent: N, at: [0.065, 0, 0], child: stop}
  hand: {type: prismatic, parent: N, at: [-0.1, 0, 0], child: hand, axis: x, coordinate: h}
initial: {x: 0.02}
"""),
    "08_batches": (0.4, """
gravity: -9.81*N.y
repeat:
  from: 1
  to: 6
  bodies: {"B{i}": {}}
  particles: {"P{i}": {mass: 1, on: "B{i}", at: [0, "-0.5 - 0.1*{i}", 0]}}
  joints: {"J{i}": {type: revolute, parent: N, at: [0, 0, "0.25*{i}"], child: "B{i}", axis: z, coordinate: "q{i}"}}
  initial: {"q{i}": 1}
"""),
    "09_own_parts": (0.1, """
gravity: -9.81*N.y
bodies:
  thigh: {mass: 7, com: [0, -0.2, 0], inertia: [0.1, 0.02, 0.1]}
  shank: {mass: 3.5, com: [0, -0.18, 0], inertia: [0.05, 0.005, 0.05]}
particles: {foot: {mass: 0.001, on: shank, at: [0, -0.4, 0]}}
joints:
  hip: {type: weld, parent: N, child: thigh}
  knee: {type: general, parent: thigh, at: [0, -0.42, 0], child: shank, motions: [{translate: x, coordinate: slide, speed: v}, {rotate: z, coordinate: angle, speed: w}]}
constraints: {wander: {configuration: slide - 0.008*(1 - cos(angle))}}
initial: {angle: -1}
"""),
    "10_real_time": (0.2, """
inputs: {F: "800*(0.1*sin(8*t) - x) + 120*(0.8*cos(8*t) - v)"}
bodies:
  cart: {mass: 2, shape: {box: [0.1, 0.05, 0.08]}}
  left: {mass: 1, shape: {box: [0.02, 0.1, 0.1]}}
  right: {mass: 1, shape: {box: [0.02, 0.1, 0.1]}}
joints:
  rail: {type: prismatic, parent: N, child: cart, axis: x, coordinate: x, speed: v, actuator: F}
  left: {type: weld, parent: N, at: [-0.26, 0, 0], child: left}
  right: {type: weld, parent: N, at: [0.26, 0, 0], child: right}
"""),
}


def draw(kane, name, instant, model, folder):
    """The text of the frame at the instant."""
    file = folder / f"{name}.yaml"
    file.write_text(HEAD + model)
    frames = folder / name
    done = subprocess.run(
        [kane, "simulate", str(file), "--until", str(instant), "--frames", str(frames), "--fps", str(1 / instant),
         "--size", "420x315", "--out", str(folder / "run.csv"), "--quiet"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{name}: {done.stderr}")
    return sorted(frames.glob("*.svg"))[-1].read_text()


def area(points):
    (a, b), (c, d), (e, f) = points[:3]
    return abs((c - a) * (f - b) - (e - a) * (d - b)) / 2


def shorten(svg):
    """The same picture in fewer bytes."""
    lines, last = [], None
    for line in svg.splitlines():
        path = re.fullmatch(r'<path d="(M[-\d.ML ]+Z)" fill="#(\w{6})" stroke="#\2" stroke-width=".6"/>', line)
        if not path:
            lines.append(line)
            last = None
            continue
        points = [tuple(map(float, p)) for p in re.findall(r"([-\d.]+) ([-\d.]+)", path[1])]
        if len(points) == 3 and area(points) < 0.6:
            continue
        d = "M" + "L".join(f"{x:.1f} {y:.1f}".replace(".0 ", " ").removesuffix(".0") for x, y in points) + "Z"
        color = "".join(f"{min(255, (int(path[2][k:k + 2], 16) + 12) // 24 * 24):02x}" for k in (0, 2, 4))
        if last and last[0] == color:
            if d not in last[1]:
                last[1].append(d)
            continue
        last = (color, [d])
        lines.append(last)
    text = [f'<path d="{"".join(x[1])}" fill="#{x[0]}" stroke="#{x[0]}"/>' if isinstance(x, tuple) else x for x in lines]
    text.insert(2, '<g stroke-width=".6">')
    text.insert(len(text) - 1, "</g>")
    return "\n".join(text) + "\n"


def check():
    """The course shows every picture, and there is one for every program of it."""
    course = (ROOT / "docs" / "course.md").read_text()
    programs = {p.stem for p in (ROOT / "examples").glob("[01][0-9]_*.cpp")}
    wrong = [f"{name}: a program without a picture" for name in programs - PICTURES.keys()]
    wrong += [f"{name}: a picture without a program" for name in PICTURES.keys() - programs]
    for name in PICTURES:
        file = ROOT / "docs" / "course" / f"{name}.svg"
        if not file.is_file() or not 0 < file.stat().st_size <= MOST_BYTES:
            wrong.append(f"{file}: missing, empty or too large")
        if f"(course/{name}.svg)" not in course:
            wrong.append(f"docs/course.md does not show course/{name}.svg")
    if wrong:
        sys.exit("\n".join(wrong))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kane")
    parser.add_argument("--out", default=ROOT / "docs" / "course")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder if options.check else options.out)
        out.mkdir(parents=True, exist_ok=True)
        for name, (instant, model) in PICTURES.items():
            svg = shorten(draw(options.kane, name, instant, model, pathlib.Path(folder)))
            if len(svg) > MOST_BYTES:
                sys.exit(f"{name}: {len(svg)} bytes, more than {MOST_BYTES}")
            (out / f"{name}.svg").write_text(svg)
            print(f"{name}.svg: {len(svg)} bytes")
    if options.check:
        check()


if __name__ == "__main__":
    main()
