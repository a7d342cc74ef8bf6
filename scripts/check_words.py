#!/usr/bin/env python3
"""Finds phrases that no file may contain: paths of one machine, unfinished work, awkward English (scripts/words.txt).

usage: check_words.py [ROOT]
"""

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Text that is not ours, and the list of phrases itself.
SKIPPED = {"LICENSE", "scripts/words.txt"}
SKIPPED_FOLDERS = {"node_modules", "golden", "corpus", ".git"}


def read_rules():
    rules = []
    for line in (HERE / "words.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            pattern, _, advice = line.partition("\t")
            rules.append((re.compile(pattern), advice))
    return rules


def files_of(root):
    """Files that git tracks or would track; in a tree without git, everything outside the build folders."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        names = [name for name in listed.stdout.split("\0") if name]
    else:
        names = [p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()]
        names = [name for name in names if not name.startswith("build")]
    return [name for name in sorted(set(names))
            if name not in SKIPPED and not SKIPPED_FOLDERS & set(name.split("/")) and (root / name).is_file()]


def check(root):
    rules = read_rules()
    errors = []
    for name in files_of(root):
        data = (root / name).read_bytes()
        if b"\0" in data:
            continue
        for number, line in enumerate(data.decode(errors="replace").splitlines(), 1):
            errors += [f"{name}:{number}: error: {advice}: {line.strip()[:120]}"
                       for pattern, advice in rules if pattern.search(line)]
    return errors


def main():
    errors = check(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else HERE.parent)
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
