"""Scenes of bodies that touch, as model files: named ones, and random ones from a seed.

    python3 scripts/contact_scenes.py stack 10 > stack.yaml
    python3 scripts/contact_scenes.py random 42 > pile.yaml
"""

import math
import random
import sys


class Scene:
    """Free bodies above a plane, with shapes that touch wherever they meet."""

    def __init__(self, name, until=2.0, friction=0.5, restitution=0.0, slope=0.0, extra=""):
        self.name, self.until = name, until
        self.friction, self.restitution, self.slope, self.extra = friction, restitution, slope, extra
        self.bodies, self.joints, self.initial = [], [], []
        self.heights = []

    def add(self, shape, at, mass=1.0, turn=(0, 0, 0, 1), v=(0, 0, 0), w=(0, 0, 0), inertia=None):
        i = len(self.heights)
        size = math.sqrt(sum(x * x for x in turn))
        e = [x / size for x in turn]
        if inertia:
            self.bodies.append(f"  b{i}: {{mass: {mass!r}, inertia: {list(inertia)!r}, geometry: {{{shape}}}}}")
        else:
            self.bodies.append(f"  b{i}: {{mass: {mass!r}, shape: {{{shape}}}}}")
        self.joints.append(f"  j{i}: {{type: free, parent: N, child: b{i}}}")
        self.heights.append((at, e, v, w))
        return i

    def wall(self, name, size, at):
        self.bodies.append(f"  {name}: {{geometry: {{box: [{size[0]!r}, {size[1]!r}, {size[2]!r}]}}}}")
        self.joints.append(f"  j_{name}: {{type: weld, parent: N, child: {name}, at: [{at[0]!r}, {at[1]!r}, {at[2]!r}]}}")

    def text(self):
        joints, initial = [], []
        k = 0
        for line in self.joints:
            if "type: free" in line:
                c = [f"x{k}", f"y{k}", f"z{k}", f"e{k}_1", f"e{k}_2", f"e{k}_3", f"e{k}_4"]
                s = [f"vx{k}", f"vy{k}", f"vz{k}", f"wx{k}", f"wy{k}", f"wz{k}"]
                line = line[:-1] + f", coordinates: [{', '.join(c)}], speeds: [{', '.join(s)}]}}"
                at, e, v, w = self.heights[k]
                for names, values in ((c, list(at) + list(e)), (s, list(v) + list(w))):
                    initial += [f"{n}: {x!r}" for n, x in zip(names, values) if x != 0]
                k += 1
            joints.append(line)
        g = f"-9.81*cos({self.slope!r})*N.z + 9.81*sin({self.slope!r})*N.x" if self.slope else "-9.81*N.z"
        return "\n".join(
            ["kane: 1", f"name: {self.name}", f"gravity: {g}", "bodies:"] + self.bodies + ["joints:"] + joints +
            ["contacts:", f"  touch: {{all: true, plane: N.z, friction: {self.friction!r}, restitution: {self.restitution!r}{self.extra}}}",
             "outputs: {E: energy}",
             "initial: {" + ", ".join(initial) + "}", f"simulate: {{until: {self.until!r}}}"]) + "\n"


def box(a, b, c):
    return f"box: [{a!r}, {b!r}, {c!r}]"


def ball(r):
    return f"sphere: {r!r}"


def stack(n, until=1.0):
    s = Scene(f"stack{n}", until)
    for i in range(n):
        s.add(box(0.2, 0.2, 0.1), (0, 0, 0.05 + 0.1 * i))
    return s


def brick_wall(rows, columns, until=1.0):
    s = Scene(f"wall{rows}x{columns}", until, friction=0.6)
    for r in range(rows):
        for c in range(columns - r % 2):
            s.add(box(0.2, 0.1, 0.08), (0.2 * c + (0.1 if r % 2 else 0.0), 0, 0.04 + 0.08 * r))
    return s


def cube(n, until=1.0):
    s = Scene(f"cube{n}", until)
    for k in range(n):
        for j in range(n):
            for i in range(n):
                s.add(box(0.1, 0.1, 0.1), (0.105 * i, 0.105 * j, 0.05 + 0.1 * k))
    return s


def spheres(n, until=2.0, seed=1, walls=True, friction=0.4, restitution=0.1):
    """Balls that fall into a box without a lid."""
    rng = random.Random(seed)
    r, pitch = 0.05, 0.12
    side = max(2, math.ceil((n / 2) ** (1 / 3)))
    s = Scene(f"spheres{n}", until, friction, restitution)
    width = pitch * side
    if walls:
        t = 0.05
        h = pitch * (n / side**2 + 2)
        s.wall("left", (t, width + 2 * t, h), (-width / 2 - t / 2, 0, h / 2))
        s.wall("right", (t, width + 2 * t, h), (width / 2 + t / 2, 0, h / 2))
        s.wall("front", (width, t, h), (0, -width / 2 - t / 2, h / 2))
        s.wall("back", (width, t, h), (0, width / 2 + t / 2, h / 2))
    for i in range(n):
        k, rest = divmod(i, side * side)
        j, c = divmod(rest, side)
        jitter = [0.004 * rng.uniform(-1, 1) for _ in range(3)]
        s.add(ball(r), ((c - (side - 1) / 2) * pitch + jitter[0], (j - (side - 1) / 2) * pitch + jitter[1],
                        0.06 + k * pitch + jitter[2]))
    return s


def apart(n, until=1.0):
    s = Scene(f"apart{n}", until)
    for i in range(n):
        s.add(ball(0.05), (0.3 * (i % 5), 0.3 * (i // 5), 0.05), v=(0.1, 0, 0), w=(0, 2, 0))
    return s


def slope(excess, until=1.0):
    mu = 0.5
    s = Scene("slope", until, friction=mu, slope=math.atan(mu) + excess)
    s.add(box(0.2, 0.2, 0.1), (0, 0, 0.05))
    return s


def coin(seed, until=2.0):
    rng = random.Random(seed)
    s = Scene(f"coin{seed}", until, friction=rng.uniform(0.1, 0.8), restitution=rng.choice([0, 0, 0.3]))
    tilt = rng.uniform(0.1, 1.4)
    s.add(f"cylinder: {{radius: 0.012, length: 0.002}}", (0, 0, 0.03), mass=0.007,
          turn=(math.sin(tilt / 2), 0, 0, math.cos(tilt / 2)), v=(rng.uniform(-0.3, 0.3), 0, 0),
          w=(rng.uniform(-10, 10), rng.uniform(-10, 10), rng.uniform(-30, 30)))
    return s


def card_house(until=1.0):
    """Two cards that lean against each other."""
    s = Scene("cards", until, friction=0.7)
    length, t, angle = 0.088, 0.001, math.radians(70)
    for side in (-1, 1):
        a = angle if side > 0 else math.pi - angle
        turn = (0, math.sin((math.pi / 2 - a) / 2), 0, math.cos((math.pi / 2 - a) / 2))
        lift = length / 2 * math.sin(angle) + t / 2 * math.cos(angle)
        s.add(box(t, 0.058, length), (side * -(length / 2 * math.cos(angle) + t / 2 / math.sin(angle)), 0, lift), mass=0.0018, turn=turn)
    return s


def arch(stones=9, friction=0.6, until=1.0):
    """Wedges between two radii, on the ground."""
    s = Scene(f"arch{stones}", until, friction=friction)
    r1, r2, depth = 0.5, 0.7, 0.2
    half = math.pi / stones / 2
    corners = []
    for y in (-depth / 2, depth / 2):
        for r in (r1, r2):
            for a in (-half, half):
                corners.append((r * math.cos(a) - 0.6, y, r * math.sin(a)))
    mesh = "mesh: [" + ", ".join(f"[{x!r}, {y!r}, {z!r}]" for x, y, z in corners) + "]"
    for i in range(stones):
        a = math.pi * (i + 0.5) / stones
        s.add(mesh, (0.6 * math.cos(a), 0, 0.6 * math.sin(a)), turn=(0, -math.sin(a / 2), 0, math.cos(a / 2)),
              inertia=[0.006, 0.0065, 0.0067])
    return s


def random_pile(seed, most=8, until=2.0):
    rng = random.Random(seed)
    n = rng.randint(2, most)
    s = Scene(f"pile{seed}", until, friction=rng.choice([0, 0.1, 0.3, 0.5, 0.8]), restitution=rng.choice([0, 0, 0.2, 0.5, 0.8]))
    kinds = rng.choice([("ball",), ("box",), ("ball", "box"), ("cylinder",), ("capsule",), ("box", "cylinder"), ("bar",),
                        ("ball", "box", "cylinder", "capsule", "bar")])
    z = 0.0
    for _ in range(n):
        kind = rng.choice(kinds)
        if kind == "ball":
            r = rng.uniform(0.03, 0.08)
            shape, reach = ball(r), r
        elif kind == "box":
            a, b, c = (rng.uniform(0.05, 0.2) for _ in range(3))
            shape, reach = box(a, b, c), math.hypot(a, b, c) / 2
        elif kind == "bar":
            a, b, c = rng.uniform(0.3, 0.5), 0.02, 0.02
            shape, reach = box(a, b, c), a / 2
        elif kind == "cylinder":
            r, length = rng.uniform(0.02, 0.08), rng.uniform(0.01, 0.2)
            shape, reach = f"cylinder: {{radius: {r!r}, length: {length!r}}}", math.hypot(r, length / 2)
        else:
            r, length = rng.uniform(0.02, 0.05), rng.uniform(0.05, 0.2)
            shape, reach = f"capsule: {{radius: {r!r}, length: {length!r}}}", r + length / 2
        z += reach * 1.02
        turn = [rng.gauss(0, 1) for _ in range(4)]
        if rng.random() < 0.2:
            turn = [0, 0, 0, 1]
        s.add(shape, (rng.uniform(-0.05, 0.05), rng.uniform(-0.05, 0.05), z), mass=rng.choice([0.1, 1.0, 1.0, 5.0]), turn=turn,
              v=tuple(rng.uniform(-1, 1) for _ in range(3)), w=tuple(rng.uniform(-5, 5) for _ in range(3)))
        z += reach * 1.02
    return s


MAKERS = {"stack": stack, "wall": brick_wall, "cube": cube, "spheres": spheres, "apart": apart, "slope": slope, "coin": coin,
          "cards": card_house, "arch": arch, "random": random_pile}


def main():
    numbers = [float(a) if "." in a or "e" in a else int(a) for a in sys.argv[2:]]
    sys.stdout.write(MAKERS[sys.argv[1]](*numbers).text())


if __name__ == "__main__":
    main()
