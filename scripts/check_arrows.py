#!/usr/bin/env python3
"""Checks that includes follow the arrows between modules.

The LINKS of kane_module() and kane_test() say what a folder may include (transitively); scripts/arrows.txt says which
LINKS a module may have, and docs/architecture.md must show the same table. It also reports cycles between modules or
headers, includes that are not written as a path from the root of the tree, and files longer than the limit.

usage: check_arrows.py [ROOT]
"""

import re
import sys
from pathlib import Path

MAX_LINES = 1000
# Folders outside kane/ whose sources may include the public headers of every module.
FREE_FOLDERS = ("apps", "bench", "examples", "fuzz")
KEYWORDS = {"LINKS", "EXTERNAL", "PRIVATE_EXTERNAL"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def read_table(path):
    """scripts/arrows.txt as {module: [arrow, ...]}."""
    table = {}
    for line in path.read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            module, _, arrows = line.partition(":")
            table[module.strip()] = arrows.split()
    return table


def read_links(cmake_file, function):
    """LINKS of the call function(NAME LINKS a b ...) in a CMake file; None if there is no such call."""
    text = re.sub(r"#.*", "", cmake_file.read_text())
    call = re.search(function + r"\s*\(([^)]*)\)", text)
    if not call:
        return None
    links, keyword = [], None
    for word in call.group(1).split():
        if word in KEYWORDS:
            keyword = word
        elif keyword == "LINKS":
            links.append(word)
    return links


def closure(start, arrows_of):
    """Everything reachable from the arrows `start`; an arrow to one header ends there."""
    reached, todo = set(), list(start)
    while todo:
        arrow = todo.pop()
        if arrow not in reached:
            reached.add(arrow)
            todo.extend(arrows_of.get(arrow.split("/")[0], []))
    return reached


def find_cycle(graph):
    """A list of nodes a -> b -> ... -> a, or None. Iterative depth-first search."""
    done = set()
    for root in sorted(graph):
        path, on_path, stack = [], set(), [(root, False)]
        while stack:
            node, leaving = stack.pop()
            if leaving:
                path.pop()
                on_path.discard(node)
                done.add(node)
            elif node in on_path:
                return path[path.index(node):] + [node]
            elif node not in done:
                path.append(node)
                on_path.add(node)
                stack.append((node, True))
                stack.extend((next_node, False) for next_node in graph.get(node, ()))
    return None


class Checker:
    def __init__(self, root):
        self.root = root
        self.errors = []
        self.includes = {}  # header -> headers of kane/ that it includes
        self.table = read_table(root / "scripts" / "arrows.txt")
        self.links = {}

    def error(self, place, text):
        self.errors.append(f"{place}: error: {text}")

    def check_cycle(self, place, graph):
        cycle = find_cycle(graph)
        if cycle:
            self.error(place, "cycle: " + " -> ".join(cycle))

    def read_modules(self):
        """The LINKS of every module, checked against the table."""
        plain = {m: [a.split("/")[0] for a in arrows] for m, arrows in self.table.items()}
        self.check_cycle("scripts/arrows.txt", plain)
        for folder in sorted(p for p in (self.root / "kane").iterdir() if p.is_dir()):
            cmake_file = folder / "CMakeLists.txt"
            place = f"kane/{folder.name}/CMakeLists.txt"
            if not cmake_file.exists():
                if any(folder.glob("*.[ch]pp")):
                    self.error(f"kane/{folder.name}", "has sources but no CMakeLists.txt")
                continue
            links = read_links(cmake_file, "kane_module")
            if links is None:
                self.error(place, "does not call kane_module()")
                continue
            self.links[folder.name] = links
            if re.search(r"^\s*find_(package|library)\b", cmake_file.read_text(), re.M):
                self.error(place, "use kane_find_package(), so that the installed package finds it too")
            if folder.name not in self.table:
                self.error(place, f"module '{folder.name}' has no line in scripts/arrows.txt")
                continue
            allowed = closure(plain[folder.name], plain)
            for link in links:
                if link not in allowed:
                    self.error(place, f"'{folder.name}' may not link '{link}' (scripts/arrows.txt)")
        self.check_cycle("kane/*/CMakeLists.txt", self.links)

    def check_document(self):
        """The last column of the table of modules in docs/architecture.md against scripts/arrows.txt."""
        document = self.root / "docs" / "architecture.md"
        rows = re.findall(r"^\| `(\w+)` \|.*\|([^|]*)\|$", document.read_text(), re.M) if document.exists() else []
        shown = {module: re.findall(r"`([^`]+)`", arrows) for module, arrows in rows}
        for module in sorted(set(shown) | set(self.table) if rows else ()):
            if set(shown.get(module, ["?"])) != set(self.table.get(module, ["?"])):
                self.error("docs/architecture.md", f"the arrows of '{module}' differ from scripts/arrows.txt")

    def narrow_links(self):
        """LINKS of every module, with an arrow to one header where the table says so."""
        narrow = {}
        for module, links in self.links.items():
            listed = self.table.get(module, [])
            narrow[module] = [next((a for a in listed if a.startswith(link + "/")), link) for link in links]
        return narrow

    def check_include(self, file, place, quote, path, arrows, own_folders):
        first = path.split("/")[0]
        if quote == '"' and "tests" in own_folders and "/" not in path and (file.parent / path).is_file():
            return  # a helper of the tests in the same folder
        if quote == "<":
            if first == "kane":
                self.error(place, f'write #include "{path}" with quotes')
            return
        if first not in own_folders:
            self.error(place, f'"{path}" is not a path from the root of the tree (kane/...)')
            return
        if not (self.root / path).is_file():
            self.error(place, f'"{path}" does not exist')
        if not path.endswith(".hpp"):
            self.error(place, f'"{path}" is not a header')
        if first == "kane" and arrows is not None:
            module, _, header = path.removeprefix("kane/").partition("/")
            if module not in arrows and f"{module}/{header}" not in arrows:
                self.error(place, f'may not include "{path}": no arrow to \'{module}\'')

    def check_file(self, file, arrows, own_folders):
        name = file.relative_to(self.root).as_posix()
        lines = file.read_text(errors="replace").splitlines()
        if len(lines) > MAX_LINES:
            self.error(name, f"{len(lines)} lines; the limit is {MAX_LINES}: split it by subject")
        if file.suffix == ".hpp" and "#pragma once" not in lines:
            self.error(name, "header without #pragma once")
        found = []
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            if match:
                self.check_include(file, f"{name}:{number}", match.group(1), match.group(2), arrows, own_folders)
                found.append(match.group(2))
        if file.suffix == ".hpp":
            self.includes[name] = [path for path in found if path.startswith("kane/")]

    def check_folder(self, folder, arrows, own_folders):
        for file in sorted(folder.rglob("*.[ch]pp")):
            if "golden" not in file.parts:
                self.check_file(file, arrows, own_folders)

    def run(self):
        self.read_modules()
        self.check_document()
        narrow = self.narrow_links()
        for module, links in narrow.items():
            self.check_folder(self.root / "kane" / module, closure(links, narrow) | {module}, {"kane"})
        for name in FREE_FOLDERS:
            if (self.root / name).is_dir():
                shared = {"tests"} if name == "bench" else set()  # benchmarks use the robots of the tests
                self.check_folder(self.root / name, None, {"kane", name} | shared)
        tests = self.root / "tests"
        for folder in sorted(p for p in tests.iterdir() if p.is_dir()) if tests.is_dir() else []:
            cmake_file = folder / "CMakeLists.txt"
            links = read_links(cmake_file, "kane_test") if cmake_file.exists() else None
            self.check_folder(folder, None if links is None else closure(links, narrow), {"kane", "tests"})
        self.check_cycle("headers", self.includes)
        return self.errors


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    errors = Checker(root).run()
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
