#!/usr/bin/env python3
"""failed_tests.py FOLDER: prints the end of the output of every test that failed in the last run of ctest.

FOLDER is Testing/Temporary of the build folder, where ctest keeps LastTest.log and LastTestsFailed.log.
"""

import re
import sys
from pathlib import Path

LINES = 40  # of each test

folder = Path(sys.argv[1])
failed = {line.split(":", 1)[1] for line in (folder / "LastTestsFailed.log").read_text().splitlines() if ":" in line}
log = (folder / "LastTest.log").read_text(errors="replace")
for section in re.split(r"(?m)^(?=\d+/\d+ Test: )", log):
    name = re.match(r"\d+/\d+ Test: (.*)", section)
    if name and name.group(1).strip() in failed:
        print(f"---- failed: {name.group(1).strip()}")
        print("\n".join(section.rstrip().splitlines()[-LINES:]))
