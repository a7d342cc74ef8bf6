#!/usr/bin/env python3
"""Finds names that are defined twice:

- types outside anonymous namespaces, of which the linker would silently use one for both;
- types, functions and constants in the anonymous namespaces of two files that are compiled as one unit (KANE_UNITY):
  the files of a module, of the command, of a test program.

usage: check_definitions.py [ROOT]
"""

import collections
import re
import sys
from pathlib import Path

OPENS = re.compile(r"^(?:inline )?namespace ?([\w:]*) ?\{")
CLOSES = re.compile(r"^\}\s*// namespace")
TYPE = re.compile(r"^(?:template <[^>]*> )?(?:struct|class|enum class) (\w+)(?: final)?(?: :[^;]*)? \{")
CONSTANT = re.compile(r"^(?:constexpr|const|constinit) [^(={]*?\b(k[A-Z]\w*)(?:\[[^\]]*\])* ?[={]")
FUNCTION = re.compile(r"^(?:\[\[\w+\]\] )?(?:constexpr |inline |static )*[A-Za-z_][\w:<>,&* ]*[ &*](\w+)\(")
# Compiled one by one: the emitters, which share names by design, and files with flags of their own (the CMake files).
ALONE = re.compile(r"^kane/(codegen/emit/emit_\w+|codegen/jit/sincos_lanes\d|solve/stage_sum_avx2)\.cpp$")


def lines_of(path):
    """Each line with its number and the namespaces around it; clang-format ensures this layout."""
    namespaces = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if opened := OPENS.match(line):
            namespaces.append(opened[1])
        elif CLOSES.match(line) and namespaces:
            namespaces.pop()
        else:
            yield number, line, namespaces


def types_of(path):
    """The types of the outermost level outside anonymous namespaces."""
    for number, line, namespaces in lines_of(path):
        if (found := TYPE.match(line)) and "" not in namespaces:
            yield "::".join([*namespaces, found[1]]), number


def parameter_types(text):
    """The text after the opening parenthesis of a function, as its parameter types."""
    parts, part, depth = [], "", 0
    for c in text:
        depth += (c in "(<{[") - (c in ")>}]")
        if depth < 0:
            break
        if c == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += c
    parts.append(part)
    types = (re.sub(r"\s*=.*", "", part, flags=re.DOTALL).strip() for part in parts)
    return ", ".join(" ".join(re.sub(r"(?<=[\s&*])[a-z_]\w*$", "", t).split()) for t in types)


def hidden_names_of(path):
    """Types, constants and functions (with their parameters) of the anonymous namespaces."""
    text = path.read_text().splitlines()
    for number, line, namespaces in lines_of(path):
        if "" not in namespaces:
            continue
        scope = "::".join(name for name in namespaces if name)
        if found := TYPE.match(line) or CONSTANT.match(line):
            yield f"{scope}::{found[1]}", number
        elif found := FUNCTION.match(line):
            after = line[found.end():] + "".join(text[number:number + 5])
            yield f"{scope}::{found[1]}({parameter_types(after)})", number


def unit_of(path):
    """kane/solve, apps/kane, tests/solve: what is compiled together."""
    return "/".join(path.parts[:2])


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    places = collections.defaultdict(list)
    for folder in ("kane", "apps"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            for name, number in types_of(path):
                places[name].append(f"{path.relative_to(root)}:{number}")
    types = len(places)
    for folder in ("kane", "apps", "tests"):
        for path in sorted((root / folder).rglob("*.cpp")):
            relative = path.relative_to(root)
            if ALONE.match(str(relative)) or "golden" in relative.parts or len(relative.parts) < 3:
                continue
            for name, number in hidden_names_of(path):
                places[f"{name} of {unit_of(relative)}"].append(f"{relative}:{number}")
    twice = {name: where for name, where in places.items() if len({place.split(":")[0] for place in where}) > 1}
    for name, where in twice.items():
        print(f"{name} is defined at {' and '.join(where)}")
    print(f"{types} types and {len(places) - types} hidden names, {len(twice)} of them defined twice")
    sys.exit(1 if twice or not places else 0)


main()
