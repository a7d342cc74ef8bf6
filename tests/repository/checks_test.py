#!/usr/bin/env python3
"""The checks of words, definitions, header weight, public headers and quotes pass on sound files and find planted ones.

usage: checks_test.py ROOT
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1)).resolve()


def run(script, files, *options):
    """Exit code, output, and the files afterwards, of a script run on a tree of these files. Files without a suffix are
    made executable."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o644 if path.suffix else 0o755)
        options = [str(option).replace("{tree}", folder) for option in options]
        done = subprocess.run([sys.executable, ROOT / "scripts" / script, *options, folder], capture_output=True,
                              text=True, check=False)
        return done.returncode, done.stdout + done.stderr, {n: (Path(folder) / n).read_text() for n in files}


class CheckWords(unittest.TestCase):
    def assert_finds(self, line):
        code, output, _ = run("check_words.py", {"kane/a.cpp": "int a;\n" + line + "\n"})
        self.assertEqual(code, 1)
        self.assertIn("kane/a.cpp:2: error: ", output)

    def test_sound_text_passes(self):
        text = "a framework/rooted/tree, see docs/homework/x and /usr/bin/env; the work/energy theorem\n"
        self.assertEqual(run("check_words.py", {"README.md": text})[:2], (0, ""))

    def test_machine_paths(self):
        for folder in ("work", "root", "home"):
            self.assert_finds(f'read("/{folder}/x/model.yaml");')
            self.assert_finds(f"see /{folder}/x")

    def test_unfinished_work(self):
        self.assert_finds("// TO" + "DO: the rest")
        self.assert_finds("<" * 7 + " HEAD")

    def test_build_folders_are_not_read(self):
        self.assertEqual(run("check_words.py", {"build/x.txt": "/ro" + "ot/x\n"})[0], 0)


class CheckHeaderWeight(unittest.TestCase):
    LIST = "# what users may include\nkane/a.hpp\nkane/b.hpp  # and why\n"

    def check(self, files):
        return run("check_header_weight.py", {"cmake/public_headers.txt": self.LIST, "kane/a.hpp": "", **files}, "c++")[:2]

    def test_counts_lines_after_preprocessing(self):
        self.assertEqual(self.check({"kane/b.hpp": "#include \"kane/c.hpp\"\nint b;\n", "kane/c.hpp": "int c;\n\n"}),
                         (0, "2 headers, 2 lines after preprocessing\n"))

    def test_heavy_headers_are_found(self):
        code, output = self.check({"kane/b.hpp": "int b;\n" * 130_001})
        self.assertEqual(code, 1)
        self.assertIn("have grown past", output)

    def test_libraries_behind_the_headers_are_found(self):
        code, output = self.check({"kane/b.hpp": "#include <nlohmann/json.hpp>\n"})
        self.assertEqual(code, 1)
        self.assertIn("nlohmann/ is reached from the public headers", output)
        self.assertEqual(self.check({"kane/b.hpp": "#include <nlohmann/json_fwd.hpp>\n"})[0], 0)


class CheckPublicHeaders(unittest.TestCase):
    FILES = {
        "cmake/public_headers.txt": "# what users may include\nkane/kane.hpp\nkane/a.hpp\n",
        "kane/kane.hpp": '#pragma once\n// Everything.\n#include "kane/a.hpp"\n',
        "kane/a.hpp": '#pragma once\n// A.\n#include "kane/b.hpp"\n',
        "kane/b.hpp": "#pragma once\n",
    }

    def assert_finds(self, message, **changed):
        files = {**self.FILES, **{name.replace("__", "/").replace("_hpp", ".hpp"): text for name, text in changed.items()}}
        code, output, _ = run("check_public_headers.py", files)
        self.assertEqual(code, 1)
        self.assertIn(message, output)

    def test_a_sound_list_passes(self):
        self.assertEqual(run("check_public_headers.py", self.FILES)[:2], (0, ""))

    def test_list_and_umbrella_must_agree(self):
        self.assert_finds("kane/kane.hpp does not include kane/a.hpp", kane__kane_hpp="#pragma once\n// Nothing.\n")
        self.assert_finds("kane/b.hpp is not in cmake/public_headers.txt",
                          kane__kane_hpp='#pragma once\n// All.\n#include "kane/a.hpp"\n#include "kane/b.hpp"\n')

    def test_headers_that_would_be_missing(self):
        self.assert_finds("kane/c.hpp does not exist", kane__a_hpp='#pragma once\n// A.\n#include "kane/c.hpp"\n')
        self.assert_finds("which is not installed", kane__a_hpp='#pragma once\n// A.\n#include "apps/c.hpp"\n')

    def test_public_headers_say_what_they_are_for(self):
        self.assert_finds("kane/a.hpp:2: error: ", kane__a_hpp="#pragma once\nint a;\n")


class CheckDefinitions(unittest.TestCase):
    ONE = "namespace kane {\n\nstruct Signal {\n  int a;\n};\n\n}  // namespace kane\n"
    HIDDEN = "namespace kane {\nnamespace {\n\nclass Signal : public A {\n};\n\n}  // namespace\n}  // namespace kane\n"

    def test_hidden_and_declared_types_pass(self):
        files = {"kane/a.hpp": self.ONE, "kane/b.cpp": self.HIDDEN, "apps/c.hpp": "namespace kane {\nstruct Signal;\n}\n"}
        self.assertEqual(run("check_definitions.py", files)[0], 0)

    def test_two_definitions_are_found(self):
        code, output, _ = run("check_definitions.py", {"kane/a.hpp": self.ONE, "apps/b.hpp": self.ONE})
        self.assertEqual(code, 1)
        self.assertIn("kane::Signal is defined at kane/a.hpp:3 and apps/b.hpp:3", output)

    @staticmethod
    def hide(definition):
        return f"namespace kane {{\nnamespace {{\n\n{definition}\n\n}}  // namespace\n}}  // namespace kane\n"

    def test_hidden_names_of_one_unit_are_found(self):
        for first, second in (("struct A {", "class A : public B {"),
                              ("constexpr double kSmall = 1;", "constexpr int kSmall[2] = {1, 2};"),
                              ("bool turns(const Kind& kind) {", "bool turns(const Kind& k) { return true; }"),
                              ("int f(int a,\n      int b = 3) {", "double f(int a, int b) {")):
            code, output, _ = run("check_definitions.py", {"kane/m/a.cpp": self.hide(first),
                                                           "kane/m/sub/b.cpp": self.hide(second)})
            self.assertEqual(code, 1)
            self.assertIn(" is defined at kane/m/a.cpp:4 and kane/m/sub/b.cpp:4", output)

    def test_hidden_names_of_two_units_and_overloads_pass(self):
        one = self.hide("bool turns(Kind kind) {")
        self.assertEqual(run("check_definitions.py", {"kane/m/a.cpp": one, "kane/n/a.cpp": one, "tests/m/a.cpp": one,
                                                      "kane/m/b.cpp": self.hide("bool turns(const Joint& j) {")})[0], 0)


class CheckQuotes(unittest.TestCase):
    DOCUMENT = "Text.\n\n<!-- file: examples/a.cpp -->\n```cpp\n{}```\n\nMore.\n"

    def test_equal_passes(self):
        files = {"README.md": self.DOCUMENT.format("int a;\n"), "examples/a.cpp": "int a;\n"}
        self.assertEqual(run("check_quotes.py", files)[:2], (0, ""))

    def test_difference_is_found_and_repaired(self):
        files = {"README.md": self.DOCUMENT.format("int b;\n"), "examples/a.cpp": "int a;\n"}
        code, output, _ = run("check_quotes.py", files)
        self.assertEqual(code, 1)
        self.assertIn("differs from examples/a.cpp", output)
        code, output, after = run("check_quotes.py", files, "--update")
        self.assertEqual((code, after["README.md"]), (0, self.DOCUMENT.format("int a;\n")))

    def test_missing_file_and_missing_block(self):
        self.assertIn("does not exist", run("check_quotes.py", {"README.md": self.DOCUMENT.format("")})[1])
        self.assertIn("not followed", run("check_quotes.py", {"docs/a.md": "<!-- file: x -->\ntext\n"})[1])
        self.assertIn("not followed", run("check_quotes.py", {"docs/a.md": "<!-- part of: x -->\ntext\n"})[1])

    def test_part_is_successive_lines(self):
        def answer(part):
            text = self.DOCUMENT.replace("file:", "part of:").format(part)
            return run("check_quotes.py", {"README.md": text, "examples/a.cpp": "int a;\nint b;\nint c;\n"})[:2]
        self.assertEqual(answer("int b;\nint c;\n"), (0, ""))
        for wrong in ("int a;\nint c;\n", "t b;\n", ""):
            self.assertEqual(answer(wrong)[0], 1)
            self.assertIn("is not in it", answer(wrong)[1])


class Readme(unittest.TestCase):
    def test_two_screens(self):
        """Two screens of 45 lines, of which the picture takes about twelve; marks and fences are not seen."""
        root = Path(__file__).resolve().parents[2]
        lines = (root / "README.md").read_text().splitlines()
        seen = [line for line in lines if not line.startswith(("```", "<!--"))]
        self.assertLessEqual(len(seen) + 11, 90)
        self.assertTrue(any(line.startswith("![") for line in lines[:5]))


class CheckTranscripts(unittest.TestCase):
    FILES = {"kane": "#!/bin/sh\necho \"$#: $*\"\n", "docs/a.md": "```\n$ build/bin/kane x 'y z'\n2: x y z\n```\n"}

    def test_equal_passes(self):
        self.assertEqual(run("check_transcripts.py", self.FILES, "{tree}/kane")[:2], (0, ""))

    def test_difference_is_found_and_repaired(self):
        wrong = {**self.FILES, "docs/a.md": "```\n$ build/bin/kane x 'y z'\n3: x\n$ build/bin/kane q\n1: q\n```\n"}
        code, output, _ = run("check_transcripts.py", wrong, "{tree}/kane")
        self.assertEqual(code, 1)
        self.assertIn("docs/a.md: error", output)
        _, _, after = run("check_transcripts.py", wrong, "{tree}/kane", "--update")
        self.assertEqual(after["docs/a.md"], "```\n$ build/bin/kane x 'y z'\n2: x y z\n$ build/bin/kane q\n1: q\n```\n")


if __name__ == "__main__":
    unittest.main()
