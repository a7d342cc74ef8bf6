#!/usr/bin/env python3
"""Compares the benchmarks of two build folders: runs their programs in turn, several times, and prints for each benchmark
the ratio of the least processor times.

usage: compare_benchmarks.py OLD_FOLDER NEW_FOLDER [--rounds N] [--only NAME,...] [--filter REGEX] [--seconds S]

The least of many short runs depends little on what else the machine does. Benchmarks that exist on one side only are left
out. Exit code 1 if a figure is worse by more than --worse percent (default 3).
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

TO_NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def run(program, arguments):
    """Processor time of each benchmark of a program, in nanoseconds."""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([program, f"--benchmark_out={out.name}", "--benchmark_out_format=json", *arguments],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        text = Path(out.name).read_text()
    results = json.loads(text) if text else []
    if isinstance(results, dict):
        return {r["name"]: r["cpu_time"] * TO_NANOSECONDS[r["time_unit"]] for r in results["benchmarks"] if "cpu_time" in r}
    # The programs that compare engines write a list of rows; only Kane's own columns count, as times.
    times = {}
    for row in results:
        for key, value in row.items():
            if key.lower().startswith("kane") and key.endswith("ns"):
                times[f"{row['name']} {key}"] = value
            elif key == "kane_sim_s_per_s":
                times[f"{row['name']} ns per simulated s"] = 1e9 / value
    return times


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="names of programs without bench_, separated by commas")
    parser.add_argument("--filter", default=".", help="regular expression of benchmarks")
    parser.add_argument("--seconds", type=float, default=0.05, help="least time for each benchmark and round")
    parser.add_argument("--worse", type=float, default=3, help="percent that a figure may be worse by")
    options = parser.parse_args()

    programs = sorted(p.name for p in (options.old / "bin").glob("bench_*") if (options.new / "bin" / p.name).exists())
    if options.only:
        programs = [p for p in programs if p.removeprefix("bench_") in options.only.split(",")]
    arguments = [f"--benchmark_filter={options.filter}", f"--benchmark_min_time={options.seconds}"]
    worse = 0
    for program in programs:
        least = [{}, {}]
        for _ in range(options.rounds):
            for side, folder in enumerate((options.old, options.new)):
                for name, time in run(str(folder / "bin" / program), arguments).items():
                    least[side][name] = min(time, least[side].get(name, time))
        for name in least[0]:
            if name in least[1] and least[0][name] > 0:
                ratio = least[1][name] / least[0][name]
                mark = "  worse" if ratio > 1 + options.worse / 100 else ""
                worse += bool(mark)
                print(f"{program}  {name}  {least[0][name]:.4g} ns  {least[1][name]:.4g} ns  {ratio:.3f}{mark}", flush=True)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
