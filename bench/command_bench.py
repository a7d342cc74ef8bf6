"""Processor time and memory of whole commands on robots made up here, whose joints have limits as those of published robots do.

    bench/command_bench.py [--kane build/bin/kane] [--instructions] [--robot FILE]

Each command runs three times, and the least processor time counts. With --instructions, valgrind counts the instructions of each
command: a figure that does not depend on what else the machine does. --robot adds the evaluation of a URDF file.
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import tempfile


class Robot:
    """A URDF robot: the same for the same name."""

    def __init__(self, name: str) -> None:
        self.random = random.Random(1)
        self.parts = [f'<robot name="{name}">']
        self.joints = 0

    def link(self, name: str) -> None:
        r = self.random
        a, b, c = (0.2 * r.uniform(0.3, 1) for _ in range(3))
        k = 0.008
        x, y, z, m = r.uniform(-0.1, 0.1), r.uniform(-0.1, 0.1), r.uniform(-0.1, 0.1), r.uniform(1, 3)
        self.parts.append(
            f'<link name="{name}"><inertial><origin xyz="{x:.5f} {y:.5f} {z:.5f}"/><mass value="{m:.5f}"/>'
            f'<inertia ixx="{(b * b + c * c) / 6 + k:.6f}" iyy="{(a * a + c * c) / 6 + k:.6f}" '
            f'izz="{(a * a + b * b) / 6 + k:.6f}" ixy="{-0.1 * k:.6f}" ixz="{-0.12 * k:.6f}" iyz="{-0.13 * k:.6f}"/>'
            '</inertial></link>')

    def limb(self, base: str, name: str, links: int, rpy: str = "0 0 0") -> str:
        """Links in a row behind `base`; returns the last."""
        for i in range(links):
            link = f"{name}_{i + 1}"
            self.link(link)
            r = self.random
            axis = ("1 0 0", "0 1 0", "0 0 1")[self.joints % 3]
            self.joints += 1
            self.parts.append(
                f'<joint name="{link}_joint" type="revolute"><origin xyz="{r.uniform(-0.2, 0.2):.5f} '
                f'{r.uniform(-0.2, 0.2):.5f} {r.uniform(0.1, 0.3):.5f}" rpy="{rpy}"/><parent link="{base}"/>'
                f'<child link="{link}"/><axis xyz="{axis}"/><dynamics damping="0.1"/>'
                '<limit lower="-2" upper="2" effort="100" velocity="10"/></joint>')
            base = link
        return base

    def write(self, file: pathlib.Path) -> None:
        file.write_text("\n".join(self.parts) + "\n</robot>\n")


def write_chain(folder: pathlib.Path, links: int) -> None:
    robot = Robot(f"chain{links}")
    robot.link("base")
    robot.limb("base", "c", links)
    robot.write(folder / f"chain{links}.urdf")


def write_humanoid(folder: pathlib.Path, name: str, fingers: int, rpy: str) -> None:
    """Six speeds of the trunk, torso, two legs, two arms, head: 36 without fingers, 48 with six in each hand."""
    robot = Robot(name)
    robot.link("base")
    torso = robot.limb("base", "torso", 2, rpy)
    for side in "lr":
        robot.limb("base", side + "leg", 6, rpy)
        hand = robot.limb(torso, side + "arm", 7, rpy)
        robot.limb(hand, side + "grip", fingers, rpy)
    robot.limb(torso, "head", 2, rpy)
    robot.write(folder / f"{name}.urdf")


def measure(command: list[str], folder: pathlib.Path) -> tuple[float, float]:
    """Least processor time of three runs in s, and the largest memory in MB."""
    best, memory = float("inf"), 0.0
    for _ in range(3):
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"failed: {' '.join(command)}")
        best, memory = min(best, usage.ru_utime + usage.ru_stime), max(memory, usage.ru_maxrss / 1024)
    return best, memory


def count_instructions(command: list[str], folder: pathlib.Path) -> float:
    """Million instructions."""
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    text = subprocess.run(tool + command, cwd=folder, capture_output=True, text=True, check=True).stderr
    found = re.search(r"I +refs: +([\d,]+)", text)
    return float("nan") if found is None else int(found[1].replace(",", "")) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kane", default="build/bin/kane")
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--robot", action="append", default=[])
    options = parser.parse_args()
    kane = str(pathlib.Path(options.kane).resolve())
    commands = [["--version"]]
    commands += [["evaluate", str(pathlib.Path(robot).resolve())] for robot in options.robot]
    commands += [["evaluate", "humanoid.urdf", "--floating-base"], ["evaluate", "hands.urdf", "--floating-base"],
                 ["evaluate", "chain1000.urdf"],
                 ["simulate", "chain1000.urdf", "--until", "0.001", "--method", "rk4", "--step", "0.001"],
                 ["linearize", "humanoid.urdf", "--floating-base"], ["linearize", "chain200.urdf"]]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for links in (200, 1000):
            write_chain(folder, links)
        write_humanoid(folder, "humanoid", 0, "0 0 0")
        write_humanoid(folder, "hands", 6, "0.3 -0.2 0.5")
        print(f"{'command':<75} {'time, s':>8} {'memory, MB':>10}" + (f" {'million instr.':>15}" if options.instructions else ""))
        for command in commands:
            time, memory = measure([kane] + command, folder)
            count = f" {count_instructions([kane] + command, folder):15.0f}" if options.instructions else ""
            print(f"{' '.join(command):<75} {time:8.3f} {memory:10.0f}{count}", flush=True)


if __name__ == "__main__":
    main()
