#!/usr/bin/env python3
"""soak.py KANE [--seed S] [--count N] [--seconds T]: random drops and piles, simulated to their ends.

Each scene comes from its own seed, which is printed with whatever goes wrong, so that

    python3 scripts/contact_scenes.py random SEED > pile.yaml

gives the same scene again. A run must end by itself within T seconds of processor time (30) for two seconds of motion, must not
gain energy, and nothing may fall through the ground.
"""

import argparse
import csv
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import contact_scenes  # noqa: E402

MAKERS = (contact_scenes.random_pile, contact_scenes.coin)


def check(kane, seed, seconds, folder):
    """What is wrong with the run of a seed ("" if nothing), and its processor time."""
    maker = MAKERS[1] if seed % 10 == 9 else MAKERS[0]
    model, table = folder / "scene.yaml", folder / "scene.csv"
    model.write_text(maker(seed).text())
    table.unlink(missing_ok=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [kane, "simulate", str(model), "--out", str(table), "--json", "--output-step", "0.01"]
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))  # noqa: E731
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode < 0:
        return f"did not end within {seconds} s of processor time", used
    if done.returncode != 0:
        return f"ended with exit code {done.returncode}: {done.stderr.strip()[:300]}", used
    report = json.loads(done.stdout)
    energy = report["energy"]
    rows = list(csv.DictReader(table.open()))
    if abs(float(rows[-1]["t"]) - 2.0) > 1e-6:
        return f"stopped at t = {rows[-1]['t']}", used
    if not energy.get("balanced"):
        return "has no energy balance", used
    if energy["largest_rise"] > 1e-5 * energy["scale"]:
        return f"gained {energy['largest_rise']:.3g} J of {energy['scale']:.3g} J", used
    depth = report.get("stepping", {}).get("penetration", 0)
    if depth > 1e-6:
        return f"overlapped by {depth:.2g} of the smaller shape", used
    heights = [k for k in rows[0] if k.startswith("z") and k[1:].isdigit()]
    for row in rows:
        for k in heights:
            if not float(row[k]) > 0:
                return f"fell through the ground: {k} = {row[k]} at t = {row['t']}", used
    return "", used


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kane")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1_000_000)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=30)
    options = parser.parse_args()
    print(f"seeds {options.seed} to {options.seed + options.count - 1}", flush=True)
    bad, total, slowest = [], 0.0, (0.0, 0)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.count):
            wrong, used = check(options.kane, seed, options.seconds, pathlib.Path(folder))
            total += used
            slowest = max(slowest, (used, seed))
            if wrong:
                bad.append(seed)
                print(f"seed {seed}: {wrong}", flush=True)
    print(f"{options.count - len(bad)} of {options.count} runs are right; {total:.1f} s of processor time, "
          f"at most {slowest[0]:.1f} s (seed {slowest[1]})")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
