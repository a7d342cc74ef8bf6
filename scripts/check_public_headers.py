#!/usr/bin/env python3
"""Checks the list of public headers.

cmake/public_headers.txt names what users may include: the umbrella kane/kane.hpp and exactly what it includes. Each of
them exists, begins by saying what it is for, and none of them includes a header of tests or applications.

usage: check_public_headers.py [ROOT]
"""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


def check(root):
    errors = []
    listed = [l for l in (root / "cmake/public_headers.txt").read_text().splitlines() if l and not l.startswith("#")]
    umbrella = INCLUDE.findall((root / "kane/kane.hpp").read_text())
    for header in sorted(set(listed) - set(umbrella) - {"kane/kane.hpp"}):
        errors.append(f"cmake/public_headers.txt: error: kane/kane.hpp does not include {header}")
    for header in sorted(set(umbrella) - set(listed)):
        errors.append(f"kane/kane.hpp: error: {header} is not in cmake/public_headers.txt")
    for header in sorted(h for h in set(listed) if listed.count(h) > 1):
        errors.append(f"cmake/public_headers.txt: error: {header} is listed twice")

    waiting, known = list(listed), set(listed)
    while waiting:  # every header once
        header = waiting.pop()
        path = root / header
        if not path.is_file():
            errors.append(f"cmake/public_headers.txt: error: {header} does not exist")
            continue
        text = path.read_text()
        if header in listed and not re.match(r"#pragma once\n// ", text):
            errors.append(f"{header}:2: error: a public header begins by saying what it is for")
        for include in INCLUDE.findall(text):
            if not include.startswith("kane/"):
                errors.append(f"{header}: error: includes {include}, which is not installed")
            elif include not in known:
                known.add(include)
                waiting.append(include)
    return errors


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    errors = check(root.resolve())
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
