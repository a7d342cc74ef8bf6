#!/usr/bin/env python3
"""Runs the commands shown in documents and compares their output.

In a Markdown file, a fenced block that begins with "$ build/bin/kane ..." is a transcript: each such line is run in the
root of the tree, and its output must equal the lines up to the next one. Numbers below 1e-10 are rounding errors, which
differ between processors, and are treated as equal. `--update` writes the output into the document instead.

usage: check_transcripts.py KANE [--update] [ROOT]
"""

import re
import shlex
import subprocess
import tempfile
import sys
from pathlib import Path

PROMPT = "$ build/bin/kane "
BLOCK = re.compile(r"(^```[^\n]*\n)(\$ build/bin/kane .*?)(^```$)", re.S | re.M)

ROUNDING = re.compile(r"[ ]*[-+]?\d(\.\d+)?e-(1[1-9]|[2-9]\d|\d{3})\b")


def without_rounding(text):
    return ROUNDING.sub(" (rounding)", text)


def play(transcript, kane, root):
    """The transcript with the present output."""
    lines = []
    for command in [line for line in transcript.splitlines() if line.startswith(PROMPT)]:
        for word in shlex.split(command):
            if word.startswith(tempfile.gettempdir() + "/"):  # Kane does not replace files of others
                Path(word).unlink(missing_ok=True)
        done = subprocess.run([kane, *shlex.split(command.removeprefix(PROMPT))], cwd=root, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False, timeout=120)
        lines += [command, *done.stdout.splitlines()]
    return "\n".join(lines) + "\n"


def check(kane, root, update):
    errors = []
    for document in sorted([*root.glob("*.md"), *root.glob("docs/**/*.md")]):
        text = document.read_text()

        def replace(match):
            now = play(match.group(2), kane, root)
            if without_rounding(now) == without_rounding(match.group(2)):
                return match.group(0)
            if not update:
                place = document.relative_to(root)
                errors.append(f"{place}: error: the document says\n{match.group(2)}but the output now is\n{now}")
            return match.group(1) + now + match.group(3)

        renewed = BLOCK.sub(replace, text)
        if update and renewed != text:
            document.write_text(renewed)
    return errors


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    kane = Path(arguments[0]).resolve()
    root = Path(arguments[1]).resolve() if len(arguments) > 1 else Path(__file__).resolve().parent.parent
    errors = check(kane, root, "--update" in sys.argv)
    for error in errors:
        print(error)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
