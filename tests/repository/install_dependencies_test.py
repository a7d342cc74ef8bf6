#!/usr/bin/env python3
"""scripts/install_dependencies.sh on machines of all kinds, played by small fakes of dpkg-query, apt-get and id.

usage: install_dependencies_test.py ROOT
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
TOOLS = ("awk", "bash", "cat", "dirname", "env", "grep", "sort")


class Machine:
    """A folder of commands to be used as the whole PATH."""

    def __init__(self, folder, installed, user=0, debian=True, apt_works=True):
        self.folder = Path(folder)
        self.log = self.folder / "apt.log"
        for tool in TOOLS:
            (self.folder / tool).symlink_to(shutil.which(tool))
        self.add("id", f"echo {user}")
        if debian:
            lines = "\n".join(f"{name} installed" for name in installed)
            self.add("dpkg-query", f"cat <<'EOF'\n{lines}\nEOF\nexit 1")
            self.add("apt-get", f'echo "$DEBIAN_FRONTEND $*" >> "{self.log}"\n'
                                f'case "$*" in *install*) exit {0 if apt_works else 100};; esac')

    def add(self, name, body):
        path = self.folder / name
        path.write_text(f"#!{shutil.which('bash')}\n{body}\n")
        path.chmod(0o755)

    def run(self, *sections, **environment):
        done = subprocess.run([self.folder / "bash", ROOT / "scripts/install_dependencies.sh", *sections],
                              env={"PATH": str(self.folder), **environment}, capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout + done.stderr

    def apt_calls(self):
        return self.log.read_text().splitlines() if self.log.exists() else []


def packages_of(section):
    text = (ROOT / "scripts/packages.txt").read_text().split(f"[{section}]")[1].split("\n[")[0]
    return [line.split()[0] for line in text.splitlines() if line and not line.startswith("#")]


class InstallDependencies(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def test_nothing_to_do(self):
        machine = Machine(self.folder, packages_of("build"))
        self.assertEqual(machine.run("build"), (0, ""))
        self.assertEqual(machine.apt_calls(), [])

    def test_only_the_missing_are_installed(self):
        machine = Machine(self.folder, set(packages_of("build")) - {"libfmt-dev", "mold"})
        self.assertEqual(machine.run("build")[0], 0)
        update, install = machine.apt_calls()
        self.assertIn("noninteractive", update)
        self.assertIn(" update", update)
        self.assertTrue(install.endswith("install -y --no-install-recommends libfmt-dev mold"), install)

    def test_sections_add_up_and_nothing_is_asked_for_twice(self):
        machine = Machine(self.folder, [])
        self.assertEqual(machine.run("tests", "bench")[0], 0)
        asked = machine.apt_calls()[-1].split("--no-install-recommends ")[1].split()
        self.assertEqual(asked, sorted(set(packages_of("tests") + packages_of("bench"))))

    def test_a_command_may_stand_in_for_its_package(self):
        machine = Machine(self.folder, set(packages_of("tests")) - {"npm"})
        machine.add("npm", "exit 0")
        self.assertEqual(machine.run("tests"), (0, ""))

    def test_without_root_the_command_is_told(self):
        machine = Machine(self.folder, set(packages_of("build")) - {"cmake"}, user=1000)
        code, output = machine.run("build")
        self.assertEqual(code, 1)
        self.assertIn("sudo apt-get install --no-install-recommends cmake\n", output)
        self.assertEqual(machine.apt_calls(), [])

    def test_without_debian_the_list_is_told(self):
        code, output = Machine(self.folder, [], debian=False).run("build")
        self.assertEqual(code, 1)
        self.assertIn("not a Debian system", output)
        self.assertIn(" ".join(packages_of("build")), output)

    def test_the_user_can_take_over(self):
        self.assertEqual(Machine(self.folder, [], debian=False).run("build", KANE_SKIP_DEPENDENCIES="1"), (0, ""))

    def test_failure_of_apt_is_a_failure(self):
        code, output = Machine(self.folder, [], apt_works=False).run("fuzz")
        self.assertEqual(code, 1)
        self.assertIn("could not install: clang", output)

    def test_unknown_section(self):
        self.assertEqual(Machine(self.folder, []).run("everything"),
                         (2, "error: packages.txt has no section [everything]\n"))

    def test_lists_name_packages_only(self):
        for section in ("build", "tests", "bench", "fuzz"):
            for package in packages_of(section):
                self.assertRegex(package, r"^[a-z0-9][a-z0-9.+-]+$")


if __name__ == "__main__":
    os.environ.pop("KANE_SKIP_DEPENDENCIES", None)
    unittest.main()
