#!/usr/bin/env python3
"""scripts/check_arrows.py accepts a sound tree and finds each kind of planted violation.

usage: check_arrows_test.py ROOT
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()
SCRIPT = ROOT / "scripts" / "check_arrows.py"

SOUND_TREE = {
    "scripts/arrows.txt": "low:\nmiddle: low\nnarrow: middle/waist.hpp\nhigh: narrow\n",
    "kane/low/CMakeLists.txt": "kane_module(low)\n",
    "kane/low/low.hpp": "#pragma once\n#include <vector>\n",
    "kane/middle/CMakeLists.txt": "kane_find_package(fmt)\nkane_module(middle LINKS low EXTERNAL fmt::fmt)\n",
    "kane/middle/middle.hpp": '#pragma once\n#include "kane/low/low.hpp"\n',
    "kane/middle/waist.hpp": '#pragma once\n#include "kane/low/low.hpp"\n',
    "kane/narrow/CMakeLists.txt": "kane_module(narrow LINKS middle)\n",
    "kane/narrow/narrow.cpp": '#include "kane/middle/waist.hpp"\n#include "kane/low/low.hpp"\n',
    "kane/high/CMakeLists.txt": "kane_module(high\n  LINKS narrow)\n",
    "kane/high/high.cpp": '#include "kane/middle/waist.hpp"\n',
    "apps/kane/command.hpp": "#pragma once\n",
    "apps/kane/main.cpp": '#include "apps/kane/command.hpp"\n#include "kane/middle/middle.hpp"\n',
    "tests/low/CMakeLists.txt": "kane_test(low LINKS low)\n",
    "tests/low/low_test.cpp": '#include "kane/low/low.hpp"\n',
}


def check(changes):
    """Exit code and output of the script on the sound tree with some files changed (None: removed)."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**SOUND_TREE, **changes}.items():
            if text is not None:
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


class CheckArrows(unittest.TestCase):
    def assert_finds(self, changes, expected):
        code, output = check(changes)
        self.assertEqual(code, 1, output)
        self.assertIn(expected, output)
        self.assertEqual(len(output.splitlines()), 1, output)

    def test_sound_tree_passes(self):
        self.assertEqual(check({}), (0, ""))

    def test_include_against_the_arrow(self):
        self.assert_finds({"kane/low/low.cpp": '\n#include "kane/middle/middle.hpp"\n'},
                          "kane/low/low.cpp:2: error: may not include \"kane/middle/middle.hpp\"")

    def test_include_of_a_sibling(self):
        self.assert_finds({"kane/high/high.cpp": '#include "kane/middle/middle.hpp"\n'}, "no arrow to 'middle'")

    def test_arrow_to_one_header_is_no_arrow_to_the_rest(self):
        self.assert_finds({"kane/narrow/narrow.cpp": '#include "kane/middle/middle.hpp"\n'},
                          "kane/narrow/narrow.cpp:1")

    def test_link_that_the_table_does_not_allow(self):
        self.assert_finds({"scripts/arrows.txt": "low:\nmiddle:\nnarrow: middle/waist.hpp low\nhigh: narrow\n"},
                          "kane/middle/CMakeLists.txt: error: 'middle' may not link 'low'")

    def test_include_that_the_links_do_not_allow(self):
        self.assert_finds({"kane/middle/CMakeLists.txt": "kane_module(middle)\n",
                           "kane/middle/waist.hpp": "#pragma once\n",
                           "kane/narrow/narrow.cpp": '#include "kane/middle/waist.hpp"\n'},
                          "kane/middle/middle.hpp:2: error: may not include \"kane/low/low.hpp\"")

    def test_cycle_of_modules(self):
        code, output = check({"kane/low/CMakeLists.txt": "kane_module(low LINKS middle)\n"})
        self.assertEqual(code, 1)
        self.assertIn("cycle: middle -> low -> middle", output)

    def test_cycle_in_the_table(self):
        self.assert_finds({"scripts/arrows.txt": "low: high\nmiddle: low\nnarrow: middle/waist.hpp\nhigh: narrow\n"},
                          "scripts/arrows.txt: error: cycle")

    def test_cycle_of_headers(self):
        self.assert_finds({"kane/low/a.hpp": '#pragma once\n#include "kane/low/b.hpp"\n',
                           "kane/low/b.hpp": '#pragma once\n#include "kane/low/a.hpp"\n'},
                          "cycle: kane/low/a.hpp -> kane/low/b.hpp -> kane/low/a.hpp")

    def test_module_without_a_line_in_the_table(self):
        self.assert_finds({"kane/extra/CMakeLists.txt": "kane_module(extra)\n"}, "module 'extra' has no line")

    def test_sources_without_a_cmake_file(self):
        self.assert_finds({"kane/extra/extra.cpp": "\n"}, "kane/extra: error: has sources but no CMakeLists.txt")

    def test_relative_include(self):
        self.assert_finds({"kane/middle/middle.cpp": '#include "middle.hpp"\n'}, "is not a path from the root")

    def test_tests_may_include_a_helper_beside_them(self):
        helper = {"tests/low/helper.hpp": "#pragma once\n", "tests/low/a_test.cpp": '#include "helper.hpp"\n'}
        self.assertEqual(check(helper), (0, ""))
        self.assert_finds({"tests/low/a_test.cpp": '#include "gone.hpp"\n'}, "is not a path from the root")

    def test_angle_brackets_for_own_header(self):
        self.assert_finds({"kane/middle/middle.cpp": "#include <kane/middle/middle.hpp>\n"}, "with quotes")

    def test_missing_header(self):
        self.assert_finds({"kane/middle/middle.cpp": '#include "kane/middle/gone.hpp"\n'}, "does not exist")

    def test_module_that_includes_the_command(self):
        self.assert_finds({"kane/high/high.cpp": '#include "apps/kane/command.hpp"\n'}, "kane/high/high.cpp:1")

    def test_test_that_includes_more_than_it_links(self):
        self.assert_finds({"tests/low/low_test.cpp": '#include "kane/middle/middle.hpp"\n'},
                          "tests/low/low_test.cpp:1")

    def test_endless_file(self):
        self.assert_finds({"kane/low/long.cpp": "\n" * 1001}, "1001 lines; the limit is 1000")
        self.assertEqual(check({"kane/low/long.cpp": "\n" * 1000})[0], 0)

    def test_header_without_guard(self):
        self.assert_finds({"kane/low/bare.hpp": "\n"}, "without #pragma once")

    def test_document_that_shows_other_arrows(self):
        rows = ["| `low` | a | std |", "| `middle` | b | `low` |", "| `narrow` | c | `middle/waist.hpp` alone |",
                "| `high` | d | `narrow` |"]
        self.assertEqual(check({"docs/architecture.md": "\n".join(rows)}), (0, ""))
        self.assert_finds({"docs/architecture.md": "\n".join(rows[:3])}, "the arrows of 'high' differ")
        self.assert_finds({"docs/architecture.md": "\n".join(rows).replace("`middle/waist.hpp` alone", "`middle`")},
                          "the arrows of 'narrow' differ")

    def test_dependency_hidden_from_the_installed_package(self):
        self.assert_finds({"kane/low/CMakeLists.txt": "find_package(fmt)\nkane_module(low)\n"}, "kane_find_package()")


if __name__ == "__main__":
    unittest.main()
