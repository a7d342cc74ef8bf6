#!/usr/bin/env python3
"""Finds types that are defined twice under one name outside anonymous namespaces: the linker would silently use one
of them for both.

usage: check_definitions.py [ROOT]
"""

import collections
import re
import sys
from pathlib import Path

OPENS = re.compile(r"^(?:inline )?namespace ?([\w:]*) ?\{")
CLOSES = re.compile(r"^\}\s*// namespace")
TYPE = re.compile(r"^(?:template <[^>]*> )?(?:struct|class|enum class) (\w+)(?: final)?(?: :[^;]*)? \{")


def definitions_of(path):
    """The types of the outermost level, with their namespaces; clang-format ensures this layout."""
    namespaces = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if opened := OPENS.match(line):
            namespaces.append(opened[1])
        elif CLOSES.match(line) and namespaces:
            namespaces.pop()
        elif (found := TYPE.match(line)) and "" not in namespaces:
            yield "::".join([*namespaces, found[1]]), number


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    places = collections.defaultdict(list)
    for folder in ("kane", "apps"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            for name, number in definitions_of(path):
                places[name].append(f"{path.relative_to(root)}:{number}")
    twice = {name: where for name, where in places.items() if len(where) > 1}
    for name, where in twice.items():
        print(f"{name} is defined at {' and '.join(where)}")
    print(f"{len(places)} types, {len(twice)} of them defined twice")
    sys.exit(1 if twice or not places else 0)


main()
