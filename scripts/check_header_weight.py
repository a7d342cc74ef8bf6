#!/usr/bin/env python3
"""Checks what a program pays for including Kane. A file with all public headers must compile in under 5 s; since times
depend on the machine, this counts the lines that the compiler sees after preprocessing, and looks for libraries that
belong behind the headers.

usage: check_header_weight.py COMPILER [ROOT]

The headers are those of cmake/public_headers.txt; while there is no such list, mechanism.hpp and simulator.hpp.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

# Some 60,000 lines a second (gcc 12, -O2, one slow core), of which the standard library takes 50,000.
MOST_LINES = 130_000
BEHIND = ("nlohmann/", "Eigen/", "CLI/", "asmjit/", "fcl/", "yaml-cpp/", "boost/", "cvode/", "arkode/", "urdf_parser/")
STAND_INS = ("kane/mechanism/mechanism.hpp", "kane/simulate/motion/simulator.hpp")
# Forward declarations only.
LIGHT = ("nlohmann/json_fwd.hpp", "nlohmann/detail/abi_macros.hpp")


def public_headers(root):
    listing = root / "cmake/public_headers.txt"
    if not listing.exists():
        return [header for header in STAND_INS if (root / header).exists()]
    lines = (line.split("#")[0].strip() for line in listing.read_text().splitlines())
    return [line for line in lines if line]


def preprocess(compiler, root, headers):
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "all.cpp"
        source.write_text("".join(f'#include "{header}"\n' for header in headers))
        done = subprocess.run([compiler, "-std=c++20", f"-I{root}", "-DFMT_SHARED", "-E", source],
                              capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{compiler} cannot preprocess the public headers:\n{done.stderr}")
    return done.stdout.splitlines()


def main():
    compiler = sys.argv[1]
    root = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).resolve().parent.parent
    headers = public_headers(root)
    lines = preprocess(compiler, root, headers)
    weight = sum(1 for line in lines if line.strip() and not line.startswith("#"))
    files = {match[1] for line in lines if (match := re.match(r'# \d+ "([^"<]*)"', line))}
    heavy = {library for library in BEHIND for file in files
             if f"/{library}" in file and not file.endswith(LIGHT) and not file.startswith(str(root))}
    failed = bool(heavy) or weight > MOST_LINES or not headers
    for library in sorted(heavy):
        print(f"{library} is reached from the public headers, but belongs behind them")
    if weight > MOST_LINES:
        print(f"the public headers have grown past {MOST_LINES} lines after preprocessing")
    print(f"{len(headers)} headers, {weight} lines after preprocessing")
    sys.exit(1 if failed else 0)


main()
