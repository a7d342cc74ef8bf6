#!/usr/bin/env python3
"""Runs every example of the help texts and of the documents.

An example of a help text is a line below "Examples:" that is indented by two spaces and calls kane; each command must have
one. In a Markdown file of docs/, all blocks marked `sh` are examples; those of one document run in order in one shell,
since they may depend on each other. Each example must succeed, unless its comment says "exit code N".
They run in a temporary folder with a copy of models/ and a robot, robot.urdf.

usage: help_examples_test.py KANE ROOT
"""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

KANE = ROOT = None
MOST_SECONDS = 300  # for one help text or document

SUBCOMMAND = re.compile(r"^  (\w+)  ", re.M)
CALLS_KANE = re.compile(r"(^|[|(]\s*)kane ")
SHELL_BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.S | re.M)
EXIT_CODE = re.compile(r"#.*\bexit code (\d+)")


def help_of(*command):
    return subprocess.run([KANE, *command, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout


def examples_of_help(text):
    _, found, footer = text.partition("\nExamples:\n")
    lines = [line[2:] for line in footer.splitlines() if line.startswith("  ")] if found else []
    return [line for line in lines if CALLS_KANE.search(line)]


def examples_of_document(text):
    """The lines of all shell blocks, each block starting in the same folder."""
    return [line for block in SHELL_BLOCK.findall(text) for line in ["cd $ROOT", *block.splitlines()] if line.strip()]


def failures(examples):
    """Runs the examples in order in one shell and describes those that end with an unexpected exit code."""
    script = "set -o pipefail\n"
    for number, example in enumerate(examples):
        found = EXIT_CODE.search(example)
        expected = found.group(1) if found else 0
        if example.startswith("kane serve "):  # runs until Ctrl-C
            example, expected = "timeout --preserve-status -s INT 2 " + example, 130
        script += (f"{{ {example}\n}} 2> $ROOT/errors\ncode=$?\n[ $code -eq {expected} ] || "
                   f"echo \"{number} $code $(tail -n 3 $ROOT/errors | tr '\\n' ' ')\" >> $ROOT/failures\n")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "models", folder / "models")
        shutil.copy(ROOT / "tests" / "robots" / "gripper.urdf", folder / "robot.urdf")
        for bin_folder in ("bin", "build/bin"):
            (folder / bin_folder).mkdir(parents=True)
            (folder / bin_folder / "kane").symlink_to(KANE)
        (folder / "bin" / "python3").symlink_to(sys.executable)
        environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": name, "ROOT": name}
        report = folder / "failures"
        report.touch()
        subprocess.run(["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, check=False, timeout=MOST_SECONDS)
        lines = [line.split(maxsplit=2) for line in report.read_text().splitlines()]
    return [f"{examples[int(number)]}: exit code {code}: {''.join(text)}" for number, code, *text in lines]


class HelpExamples(unittest.TestCase):
    def check(self, groups):
        """`groups`: examples by where they come from."""
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            for place, found in zip(groups, pool.map(failures, groups.values())):
                with self.subTest(place):
                    if found:
                        self.fail("\n".join(["these examples fail:", *found]))

    def test_every_command_has_examples_and_they_work(self):
        _, _, listed = help_of().partition("\nSubcommands:\n")
        commands = SUBCOMMAND.findall(listed)
        self.assertGreater(len(commands), 15)
        groups = {f"kane {command} --help": examples_of_help(help_of(command)) for command in commands}
        for command, (place, examples) in zip(commands, groups.items()):
            with self.subTest(place):
                self.assertTrue(examples, f"{place} shows no example")
                # The first may prepare what the others read (kane results needs a sweep).
                for example in examples[1:] or examples:
                    self.assertIn(f"kane {command} ", example)
        self.check(groups)

    def test_examples_of_documents_work(self):
        documents = {path.relative_to(ROOT).as_posix(): examples_of_document(path.read_text())
                     for path in sorted((ROOT / "docs").glob("*.md"))}
        self.assertGreater(len(documents["docs/commands.md"]), 15)
        self.check({place: examples for place, examples in documents.items() if examples})

    def test_a_wrong_example_is_found(self):
        self.assertEqual(failures(["kane expr 'x + x' > /dev/null", "kane check missing.yaml   # exit code 2"]), [])
        found = failures(["kane expr 'x + x'", "kane check missing.yaml"])
        self.assertEqual(len(found), 1)
        self.assertIn("kane check missing.yaml: exit code 2", found[0])


if __name__ == "__main__":
    KANE, ROOT = (Path(argument).resolve() for argument in (sys.argv.pop(1), sys.argv.pop(1)))
    unittest.main()
