#!/usr/bin/env python3
"""Checks that documents quote real files.

In a Markdown file, a line `<!-- file: PATH -->` states that the fenced block after it is the whole of PATH, as the tests
build and run it; `<!-- part of: PATH -->`, that it is successive lines of PATH. `check_quotes.py --update` copies whole files into
the documents; parts are chosen by hand.

usage: check_quotes.py [--update] [ROOT]
"""

import re
import sys
from pathlib import Path

MARK = re.compile(r"^<!-- file: ", re.M)
PART_MARK = re.compile(r"^<!-- part of: ", re.M)
PART = re.compile(r"^<!-- part of: (\S+) -->\n+```[^\n]*\n(.*?)^```$", re.S | re.M)
QUOTE = re.compile(r"(^<!-- file: (\S+) -->\n+```[^\n]*\n)(.*?)(^```$)", re.S | re.M)


def wrong_parts(root, text):
    for path, lines in PART.findall(text):
        source = root / path
        if not source.is_file():
            yield f"{path} does not exist"
        elif not lines.strip() or "\n" + lines not in "\n" + source.read_text():
            yield f"the part of {path} is not in it"


def check(root, update):
    errors = []
    for document in sorted([*root.glob("*.md"), *root.glob("docs/**/*.md")]):
        text = document.read_text()
        place = document.relative_to(root).as_posix()
        for kind, quote, mark in (("file:", QUOTE, MARK), ("part of:", PART, PART_MARK)):
            if len(quote.findall(text)) != len(mark.findall(text)):
                errors.append(f"{place}: error: a {kind} mark is not followed by a fenced block")
        errors += [f"{place}: error: {error}" for error in wrong_parts(root, text)]

        def replace(match):
            source = root / match.group(2)
            if not source.is_file():
                errors.append(f"{place}: error: {match.group(2)} does not exist")
                return match.group(0)
            if match.group(3) != source.read_text() and not update:
                errors.append(f"{place}: error: differs from {match.group(2)}; run scripts/check_quotes.py --update")
            return match.group(1) + source.read_text() + match.group(4)

        renewed = QUOTE.sub(replace, text)
        if update and renewed != text:
            document.write_text(renewed)
    return errors


def main():
    arguments = sys.argv[1:]
    update = "--update" in arguments
    roots = [a for a in arguments if a != "--update"]
    errors = check(Path(roots[0]).resolve() if roots else Path(__file__).resolve().parent.parent, update)
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
